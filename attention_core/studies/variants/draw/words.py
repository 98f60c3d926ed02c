"""Why the variants do what they do, step by step, beside what was measured."""

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.studies.variants import HEADS, KV_HEADS, CrossingResult, VariantsConfig, VariantsResult
from attention_core.studies.variants.draw.view import crossing_said


def proof(
    config: VariantsConfig, result: VariantsResult, times: CrossingResult | None = None
) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        config: The settings.
        result: Their result.
        times: What the clock said; None where it was not asked.
    """
    ask = _("Choose “over the length” under “Measure the time” to see where both cross here.")
    clock = crossing_said(times) if times else ask
    away = code(result.distances[KV_HEADS.index(config.num_kv_heads)])
    return (
        ProofStep(
            _(
                "A head of :blue[queries] needs :orange[keys] and :green[values], not ones of its own. Shared ones "
                "are repeated ones: head i meets those of its group, i ÷ (h / kv_heads) rounded down. So grouped "
                "attention is full attention in which some rows of W_K and W_V are equal."
            ),
            measured(result, "kv-repeat"),
            undone(result, "kv-repeat"),
        ),
        ProofStep(
            _(
                "What is averaged is not what it replaces: from {heads} heads to fewer by their means the outputs "
                "move, and a trained model is trained on from there.",
                heads=HEADS,
            ),
            _(
                "‖difference‖ / ‖output‖: {away} with the heads as they are set, and {linear} for "
                "linear attention with the same weights.",
                away=away,
                linear=code(result.linear_distance),
            ),
        ),
        ProofStep(
            _(
                "Of each token so far the cache keeps one key and one value for each shared head: 2·kv_heads·d_head "
                "numbers, whatever the number of heads of queries. W_K and W_V are as much smaller."
            ),
            measured(result, "kv-bytes"),
            undone(result, "kv-bytes"),
        ),
        ProofStep(
            _(
                "Under a causal mask a token's key and value depend on that token and its position alone, and its "
                "output on earlier ones. So nothing that was computed changes when a word is added, and the newest "
                "row of the whole pass is what the new query gives with the kept keys and values."
            ),
            measured(result, "cache-exact"),
            undone(result, "cache-exact"),
        ),
        ProofStep(
            _(
                "Row i of the scores is made of one query, q_i, so output i takes no other: earlier queries have "
                "done their work once their own outputs stand. With several layers that needs the causal mask, too: "
                "without it a new word changes the outputs below, and with them the keys and values above."
            ),
            measured(result, "no-q-cache"),
            undone(result, "no-q-cache"),
        ),
        ProofStep(
            _(
                "Without softmax a weight is a product, φ(q)·φ(k), and products may be taken in any order: "
                "(φ(q) φ(k)ᵀ) v = φ(q) (φ(k)ᵀ v). Softmax stands between the two and forbids it."
            ),
            measured(result, "linear-order"),
            undone(result, "linear-order"),
        ),
        ProofStep(
            _(
                "φ(k)ᵀ v has d_head × d_head numbers whatever the number of tokens, so each token costs the same, "
                "and a text of twice the length twice as much. Softmax attention forms n × n weights: four times as "
                "much."
            ),
            f"{measured(result, 'linear-cost')}  \n{clock}",
            undone(result, "linear-cost"),
        ),
        ProofStep(
            _(
                "Products or sums? Products are one product of two narrow matrices, so the scores of a head have no "
                "more directions than the head has numbers. tanh between q + k and w treats each pair anew: additive "
                "scores have more, at the price of a tanh for each number of each pair, and without a fused kernel."
            ),
            measured(result, "additive-rank", "additive-cost", "additive-order"),
            undone(result, "additive-rank", "additive-cost", "additive-order"),
        ),
        ProofStep(
            _(
                "None of the variants knows order: each sums over the keys, and sums have none. But the key bias "
                "cancels only under softmax, which ignores what all scores of a query share; φ(k + b) is another "
                "vector."
            ),
            measured(result, "perm-self", "bias-k"),
            undone(result, "perm-self", "bias-k.full", "bias-k.grouped"),
        ),
    )
