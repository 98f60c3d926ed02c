"""Normalization: what LayerNorm, RMSNorm and BatchNorm look at, and what they leave."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import Cell, matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
    Frame,
    Page,
    Picture,
    Predict,
    Preset,
    Results,
    Section,
    Switches,
    Tabs,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, setting
from attention_core.studies import normalization as study
from attention_core.studies.normalization import draw

SPEC = PageSpec(
    name="normalization",
    title=gettext_lazy("Normalization"),
    icon=":material/straighten:",
    section=gettext_lazy("What it is made of"),
    claim=gettext_lazy(
        "LayerNorm looks at each token alone, brings all to one length, and leaves a block blind to order."
    ),
)

FOLLOWS, DIFFERENT = gettext_lazy("The same rows, in the new order"), gettext_lazy("Different")


OF_A_BLOCK = {"order": gettext_lazy("another order"), "depth": gettext_lazy("twelve of them")}
PLACE = ("norm-place",)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The number whose inputs are shown, and what is shown of a block."""

    block: str = setting("order", Choice(OF_A_BLOCK, label=gettext_lazy("Of a block, show")))
    cell: tuple[int, int] = setting((0, 0), Coded(study.read_cell, study.write_cell, label=gettext_lazy("Output")))


PRESETS = (
    Preset(
        gettext_lazy("LayerNorm or BatchNorm?"),
        gettext_lazy("BatchNorm lets padding and neighbours in; LayerNorm does not."), {},
    ),
    Preset(
        gettext_lazy("On a circle"), gettext_lazy("Three features: every token lands on one circle, drawn below."),
        {"topic": "length", "d_model": 3},
    ),
    Preset(
        gettext_lazy("ε takes over"), gettext_lazy("Small tokens stay short."),
        {"topic": "length", "d_model": 3, "eps": 0.01, "input_std": 0.1},
    ),
    Preset(
        gettext_lazy("Feed-forward"),
        gettext_lazy("It changes each word by itself; attention before it has mixed them."),
        {"topic": "feed-forward", "d_model": 12},
    ),
    Preset(
        gettext_lazy("Pre- or post-norm?"),
        gettext_lazy("What is left of a word after many blocks, by where the norm stands."),
        {"topic": "block", "block": "depth"},
    ),
    Preset(
        gettext_lazy("A whole block"), gettext_lazy("LayerNorm does not break equivariance, wherever it stands."),
        {"topic": "block"},
    ),
)  # fmt: skip


def grade(result: study.NormalizationResult) -> str | None:
    """What permuting does to a block's outputs; the results of other questions say nothing of it."""
    if not isinstance(result, study.NormBlockResult) or any(verdict.expected is None for verdict in result.verdicts):
        return None
    return FOLLOWS if all(verdict.holds for verdict in result.about("perm-block").verdicts) else DIFFERENT


PREDICT = Predict(
    gettext_lazy("Permute the tokens of a whole block with LayerNorm: its outputs will be …"),
    (FOLLOWS, DIFFERENT),
    {"topic": "block"},
    grade,
    headline=gettext_lazy("What LayerNorm looks at, what it keeps of a token, and what it does to a block."),
    claim="perm-block",
)


def picture_of(config: study.NormalizationConfig, view: View) -> MatrixView:
    result = compute(study.run_normalization, config)
    if shows_depth(config, view) and isinstance(result, study.NormBlockResult):
        return draw.place_view(result)
    return draw.normalization_view(config, result, view.cell)


def shows_depth(config: study.NormalizationConfig, view: View) -> bool:
    """Whether the picture is of many blocks, one after the other."""
    return config.topic == "block" and view.block == "depth"


def draw_picture(config: study.NormalizationConfig, view: View, at: Picture) -> None:
    drawn = at.shown
    keep = at.setter("cell")

    def choose(cell: Cell | None) -> None:
        if cell and keep:
            keep(cell[1:])

    if config.topic == "dependence":
        matrix_view(drawn, key=at.key, selected=(0, *view.cell), on_select=choose)
    else:
        matrix_view(drawn, key=f"{at.key}_still")


def results_of(config: study.NormalizationConfig, view: View) -> Results:
    about = PLACE if shows_depth(config, view) else None
    return Results(compute(study.run_normalization, config), about=about)


def details(config: study.NormalizationConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    space = draw.space_figure(result, mode=frame.mode) if isinstance(result, study.LengthResult) else None
    if space and isinstance(result, study.LengthResult):
        frame.plot(space, alt=draw.space_alt(result))
    if isinstance(result, study.NormBlockResult) and not shows_depth(config, view):
        frame.curves(draw.depth_view(result))
    if isinstance(result, study.FeedForwardResult):
        frame.curves(draw.span_view(result, config))
    return Tabs(
        why=draw.proof(result),
        table=lambda: draw.normalization_table(config, result, view.cell),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("batch", gettext_lazy("LayerNorm or BatchNorm?"),
        gettext_lazy("layernorm vs batchnorm, why not batch norm in transformers, NLP"),
        "ln-deps",
        gettext_lazy("LayerNorm looks at one word alone; BatchNorm at a feature in all words, the padding and "
                     "other sentences among them.")),
    Faq("axis", gettext_lazy("Over which axis does LayerNorm work?"),
        gettext_lazy("normalized_shape, does LayerNorm mix tokens"),
        "ln-deps",
        gettext_lazy("Over the features of one token: no token enters another's numbers.")),
    Faq("eval", gettext_lazy("Why does BatchNorm change in eval mode?"),
        gettext_lazy("model.eval() different results, running mean, running_var"),
        "ln-deps",
        gettext_lazy("In eval mode it uses the statistics of earlier batches: each number then depends on "
                     "itself alone."),
        "fails", settings={"evaluation": True}),
    Faq("place", gettext_lazy("Pre-norm or post-norm?"),
        gettext_lazy("Pre-LN, Post-LN, where to put LayerNorm, layer norm before or after, residual"),
        "norm-place",
        gettext_lazy("Pre-norm hands each word on as it was and adds to it. Post-norm brings every sum to one "
                     "length, whatever came in. The curves show both through twelve blocks: how long a word is, and "
                     "how like what it was. Which of the two trains better is not measured "
                     "here; Xiong et al. (2020) found that post-norm needs a learning rate that begins small."),
        settings={"topic": "block", "block": "depth"}),
    Faq("length", gettext_lazy("What does LayerNorm do to a vector?"),
        gettext_lazy("unit sphere, LayerNorm geometry, sqrt(d)"),
        "ln-norm",
        gettext_lazy("It takes its mean away and gives it the length √d, whatever it had before."),
        settings={"topic": "length", "d_model": 3}),
    Faq("rms", gettext_lazy("LayerNorm or RMSNorm?"),
        gettext_lazy("RMSNorm difference, LLaMA norm"),
        "ln-norm",
        gettext_lazy("Both give every word the length √d. RMSNorm leaves the mean in."),
        settings={"topic": "length", "norm": "RMSNorm"}),
    Faq("eps", gettext_lazy("What is ε in LayerNorm for?"),
        gettext_lazy("eps 1e-5, layer_norm_eps"),
        "ln-norm",
        gettext_lazy("It keeps a word whose numbers are all equal from being divided by 0. Where they differ "
                     "by little, as here, ε counts, and the word comes out shorter."),
        "fails", settings={"topic": "length", "d_model": 3, "eps": 0.01, "input_std": 0.1}),
    Faq("feed-forward", gettext_lazy("What does the feed-forward layer do?"),
        gettext_lazy("FFN, MLP in a transformer, position-wise"),
        "ffn-alone",
        gettext_lazy("It makes more numbers of a word, bends them and adds them up again, for each word alone: no "
                     "other word enters. Mixing words is attention's part."),
        settings={"topic": "feed-forward", "d_model": 12}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("evaluation mode"), {"evaluation": True}),
    law="‖y − β 1‖ = |γ| √d",
    in_sight=("topic", "norm", "gamma", "beta"),
    drawer=(
        Section(("num_tokens", "d_model"), gettext_lazy("Sizes")),
        Switches(
            (
                "eps",
                "input_std",
                "constant",
                "own_gammas",
                "evaluation",
                "positions",
                "causal",
                "slot_weights",
                "attention_instead",
            )
        ),
        Section(("block", "activation"), gettext_lazy("Block")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
