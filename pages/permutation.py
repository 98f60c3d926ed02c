"""Permutation: shuffle the tokens, and see what attention notices."""

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from pages._shared.token_board.orders import order_boards, order_control
from attention_core.experiments import permutation as study
from attention_core.experiments.permutation import ATTENTION, ShuffleConfig, ShuffleResult, order_of
from attention_core.experiments.verdict import format_number
from attention_core.figures import permutation as draw

SHUFFLES = ("all tokens", "keys and values", "queries")
SAME, FOLLOWS, DIFFERENT = "The same", "The same rows, in the new order", "Different"
PREFIX = (2, 0, 4, 1, 3, 5)
HEIGHT, RESIDUALS = 180, 110

PRESETS = (
    Preset("Shuffle all", "The rows move with their tokens; undoing the shuffle leaves nothing over.", {}),
    Preset("Keys and values only", "The output does not move at all.", {"shuffle": "keys and values"}),
    Preset("With positions", "One switch, and order matters.", {"positions": "sinusoidal"}),
    Preset(
        "Two causal blocks",
        "The last word stays in place, and yet its output changes: no positions, but it sees the order before it.",
        {"mask": "causal", "model": "two pre-norm blocks", "order": PREFIX, "show": "output"},
    ),
    Preset(
        "Carried positions",
        "Positions carried by their tokens leave the law as it was.",
        {"positions": "rotary", "carried": True},
    ),
)


def grade(result: ShuffleResult) -> str:
    """The answer that is true for the output as it came out."""
    if result.moved_in_place <= result.bound:
        return SAME
    return FOLLOWS if result.moved <= result.bound else DIFFERENT


MOVE = {"shuffle": "keys and values", "model": ATTENTION}
QUESTION = "Reverse the keys and values and leave the queries where they are: the output will be …"
PREDICT = Predict(QUESTION, (SAME, FOLLOWS, DIFFERENT), MOVE, grade)

page = Page("permutation", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    tokens = control.sentence("tokens", "Sentence", "the cat sat on a mat")
    context = control.sentence("context", "Keys and values of another sentence", "", hint="Empty: the same sentence.")
    shuffled = control.select("shuffle", "Shuffle", SHUFFLES, SHUFFLES[0])
    quantity = control.choice("show", "Show", ("weights", "output"), "weights")
    heads = (draw.AVERAGE, *map(str, range(1, study.NUM_HEADS + 1)))
    head = control.select("head", "Head", heads, heads[0])
    keys = context or tokens
    order, keep = order_control(control, "order", "Order", order_of("random", len(tokens), 0))
    key_order, keep_keys = order, keep
    if context:
        beginning = order_of("random", len(keys), 1)
        key_order, keep_keys = order_control(control, "key_order", "Order of the keys", beginning)
    MOVE |= {"order": order_of("reversed", len(tokens), 0), "key_order": order_of("reversed", len(keys), 0)}
with page.breaks as control:
    positions = control.select("positions", "Positions", tuple(study.POSITIONS), "none")
    carried = control.switch("carried", "Positions move with their token")
    mask = control.select("mask", "Mask", study.MASKS, "none", hint="It stays where it is when tokens move.")
    keys_alone = control.switch("keys_alone", "Keys move without their values")
    model = control.select("model", "Through", tuple(study.MODELS), ATTENTION, hint="It breaks nothing.")
    biases = control.switch("biases", "Biases", True, hint="On or off, they break none of the claims.")


def make() -> ShuffleConfig:
    return ShuffleConfig(
        tokens=tokens,
        context=context,
        query_order=order if shuffled != "keys and values" else (),
        key_order=key_order if shuffled != "queries" else (),
        positions=positions,
        carried=carried,
        mask=mask,
        keys_alone=keys_alone,
        biases=biases,
        model=model,
        **page.shared,
    )


def picture(config: ShuffleConfig, key: str) -> None:
    keeps = (keep, keep_keys) if key == page.spec.name else (None, None)
    order_boards(page.control, config, keeps, key=key, sentences=("tokens", "context"))
    view = draw.shuffle_view(config, page.run(study.run_shuffle, config), quantity=quantity, head=head)
    matrix_view(view, key=key, hover_group=key, hover_panel=draw.AFTER, height=HEIGHT)


config = page.config(make)
laws = page.run(study.run_permutation, config.setting())
built = page.run(study.steps_blocks, config.setting())
depth = page.run(study.run_depth, config.setting())
shuffle = page.run(study.run_shuffle, config)
shown = page.picture(picture, config)
page.verdicts(laws, built, depth)
if shown:
    page.curves(draw.residual_view(laws), title="Every order: what is left once it is undone", height=RESIDUALS)
residuals = draw.residual_words(laws)
page.finish(
    config,
    shuffle,
    why=(
        Why(
            "A :blue[query] takes a weighted mean of the :green[values], Σⱼ aⱼ vⱼ, with weights from its scores "
            "with the :orange[keys]. A sum does not ask in which order its terms come.",
            f"This shuffle, undone, leaves `{format_number(shuffle.moved)}`; rounding alone explains "
            f"`{format_number(shuffle.bound)}`. {residuals}",
        ),
        Why(
            "Every :blue[query] is treated alike and by itself: move it, and its row of the :violet[output] moves "
            "along, unchanged. That is equivariance; invariance is when nothing moves. In self-attention both "
            "happen at once, so f(σX) = σ f(X), and a mean over the rows does not change at all.",
            f"Row by row as they stand, the outputs differ by `{format_number(shuffle.moved_in_place)}`.",
        ),
        Why(
            "A whole block keeps the law. Notes on attention bias that we otherwise follow say that LayerNorm "
            "breaks it. It is an easy thing to think, but LayerNorm looks at one token at a time, and so do the "
            "feed-forward network and the residual. Even BatchNorm, which looks at all tokens, does not ask for "
            "their order.",
            draw.block_words(built),
        ),
        Why(
            "So what brings order in? What stays in its place while tokens move: a position or a mask. Biases are "
            "added to every token alike, and break nothing.",
            draw.order_words(depth),
        ),
        Why(
            "A causal mask is enough, given depth. In one layer the last token sees a set of words; in the second, "
            "each of them has itself seen only those before it, and so tells where it stood.",
            f"Over all orders of the words before it, the last output moves by `{format_number(depth.one_layer)}` "
            f"after one layer, by `{format_number(depth.two_layers)}` after two.",
        ),
        Why(
            "And attention cannot count: a mean of equal values is that value, whether there are two of them or "
            "sixteen. Only positions added to the tokens make them differ.",
            f"One token, repeated up to 16 times: outputs differ by `{format_number(depth.repeats)}`.",
        ),
    ),
    snippet=study.permutation_snippet(config),
    table=lambda: draw.shuffle_table(config, shuffle, quantity=quantity, head=head),
    figure=lambda: draw.shuffle_heatmap(config, shuffle, quantity=quantity, head=head),
)
