"""Masks: who may look at whom, and what happens if a mask is missing."""

from dataclasses import dataclass

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
    Frame,
    Look,
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
from attention_core.measuring.settings import Choice, setting
from attention_core.studies import masks as study
from attention_core.studies.masks import MasksConfig, MasksResult, draw, run_forcing, run_length, run_masks

SPEC = PageSpec(
    name="masks",
    title=gettext_lazy("Masks"),
    icon=":material/visibility_off:",
    section=gettext_lazy("What it is made of"),
    claim=gettext_lazy("Which mask goes where: too few let padding speak, too many leave a word nothing to look at."),
)

OWN = {draw.FORCING: run_forcing, draw.LENGTH: run_length}  # views of experiments of their own
STILL, MOVE = gettext_lazy("Stay exactly"), gettext_lazy("Move")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of the stack."""

    show: str = setting(draw.GRID, Choice(draw.VIEWS, label=gettext_lazy("Show"), listed=False))


DECODER = {"stack": "decoder", "show": draw.REPLACED, "unmasked": True}
PRESETS = (
    Preset(
        gettext_lazy("Encoder"), gettext_lazy("One mask is enough: the key padding mask, in every layer."), {},
    ),
    Preset(
        gettext_lazy("Decoder, padded right"),
        gettext_lazy("No padding mask at all, and still no real output moves."), DECODER, spoils=True,
    ),
    Preset(
        gettext_lazy("Decoder, padded left"),
        gettext_lazy("Now the padding comes first, and everyone looks back at it."),
        DECODER | {"side": "left"},
    ),
    Preset(
        gettext_lazy("Teacher forcing"),
        gettext_lazy("One pass learns all next words: the causal mask hides the answers. An encoder sees them."),
        {"stack": "decoder", "show": draw.FORCING},
    ),
    Preset(
        "−10000", gettext_lazy("Scores as large as that look straight through it."),
        {"show": draw.ADDITIVE, "score_std": 100_000},
    ),
)  # fmt: skip


def grade(result: MasksResult) -> str:
    """Whether real outputs moved when the padding was replaced."""
    return STILL if result.pad_moved == 0 else MOVE


PREDICT = Predict(
    gettext_lazy("A decoder, padded right, no padding mask. Replace the padding: real outputs …"),
    (STILL, MOVE),
    DECODER,
    grade,
    claim="mask-decoder",
)


def picture_of(config: MasksConfig, view: View) -> MatrixView:
    if view.show == draw.FORCING:
        return draw.forcing_view(config, compute(run_forcing, config))
    if view.show == draw.LENGTH:
        return draw.length_view(compute(run_length, config))
    return draw.masks_view(compute(run_masks, config), view.show)


def changes(before: Look, after: Look) -> str:
    if before.config == after.config or after.view.show in OWN:
        return ""
    return draw.masks_changed(*(compute(run_masks, look.config) for look in (before, after)))


def draw_picture(_config: MasksConfig, view: View, at: Picture) -> None:
    if at.live:
        at.controls.show("show")
    if view.show == draw.CONVENTIONS:
        st.table(draw.conventions_table().as_columns())
    else:
        matrix_view(at.shown, key=at.key)


def results_of(config: MasksConfig, view: View) -> Results:
    result = compute(run_masks, config)
    shown = compute(OWN[view.show], config) if view.show in OWN else result
    return Results(result, told=(shown.about(*draw.claims_of(config, view.show)),))


def details(config: MasksConfig, view: View, found: Results, _frame: Frame) -> Tabs:
    if view.show == draw.FORCING:
        forcing = compute(run_forcing, config)
        return Tabs(
            why=draw.forcing_proof(forcing),
            table=lambda: draw.forcing_table(forcing),
            snippet=lambda: study.forcing_snippet(config),
        )
    if view.show == draw.LENGTH:
        length = compute(run_length, config)
        return Tabs(why=draw.length_proof(length), table=lambda: draw.length_table(length))
    result = found.main
    return Tabs(
        why=draw.proof(config, result),
        table=lambda: draw.masks_table(result, view.show),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("names", gettext_lazy("src_mask or src_key_padding_mask?"),
        gettext_lazy("attn_mask, key_padding_mask, tgt_mask, memory_key_padding_mask, nn.Transformer, shape of an "
                     "attention mask, causal mask or padding mask"),
        "mask-encoder",
        gettext_lazy("The key padding mask, one row for each sentence, is all that an encoder needs. An "
                     "attention mask, one row for each query, says which query may see which key."),
        settings={"show": "conventions"}),
    Faq("true", gettext_lazy("Does True mean masked or kept?"),
        gettext_lazy("boolean mask, attention_mask 0 or 1, inverted mask, does True in attn_mask mean ignore or "
                     "keep, True or False to mask out, allowed to attend"),
        "mask-encoder",
        gettext_lazy("It depends on which function reads it, as the table says: what hides a key in one lets "
                     "it be seen in another."),
        settings={"show": "conventions"}),
    Faq("padding", gettext_lazy("What happens if padding is not masked?"),
        gettext_lazy("forgot the padding mask, why mask padding, pad tokens, do pad tokens matter"),
        "mask-encoder",
        gettext_lazy("Then words look at it as at any other: the outputs of real words change with what the padding "
                     "is, as here."),
        "fails", settings={"show": "padding", "unmasked": True}),
    Faq("decoder", gettext_lazy("Does a decoder need a padding mask?"),
        gettext_lazy("padding mask with causal mask, GPT padding"),
        "mask-decoder",
        gettext_lazy("Not with padding on the right: the causal mask hides it from all real words."),
        settings={"stack": "decoder", "show": "padding", "unmasked": True}),
    Faq("left", gettext_lazy("Left or right padding?"),
        gettext_lazy("padding_side, batch generation"),
        "mask-decoder",
        gettext_lazy("To train, on the right: a causal mask hides it by itself. To generate, on the left: the next "
                     "word is read off the last place. There, as here, it comes before the words and needs a "
                     "padding mask."),
        "fails", settings={"stack": "decoder", "show": "padding", "unmasked": True, "side": "left"}),
    Faq("nan", gettext_lazy("Why do I get NaN after masking?"),
        gettext_lazy("nan in attention mask, fully masked row, all keys masked, -inf softmax nan, nan loss"),
        "mask-full",
        gettext_lazy("Some query may see no key: its whole row is −∞, and softmax divides 0 by 0. Let it see one "
                     "key, or take its scores out before softmax: set to 0 afterwards, NaN stays in the gradient."),
        "fails", settings={"show": "empty", "naive": True}),
    Faq("minus", gettext_lazy("−∞ or −10000?"),
        gettext_lazy("why -inf and not 0 in a mask, -1e9, masked_fill value, torch.finfo(dtype).min, additive mask"),
        "mask-additive",
        gettext_lazy("−∞ always hides a key. −10000 does as long as scores are far smaller; with scores as large "
                     "as these it does not."),
        "fails", settings={"show": "additive", "score_std": 100000}),
    Faq("cross", gettext_lazy("Which mask belongs in cross-attention?"),
        gettext_lazy("memory mask, encoder-decoder mask, difference between encoder mask and decoder mask, "
                     "memory_key_padding_mask"),
        "mask-encdec",
        gettext_lazy("The padding mask of the source: the same as in the encoder. The causal mask stays in the "
                     "decoder's self-attention."),
        settings={"stack": "encoder-decoder"}),
    Faq("forcing", gettext_lazy("What is teacher forcing?"),
        gettext_lazy("training in parallel, all next words in one pass, shifted right"),
        "forcing",
        gettext_lazy("Training on the right words, with all next words predicted in one pass. With a causal "
                     "mask each comes out as it would from the words before it alone."),
        settings={"stack": "decoder", "show": "forcing"}),
    Faq("parallel", gettext_lazy("Why is training parallel, and writing not?"),
        gettext_lazy("training is parallel but generation is slow, why is inference slow, autoregressive decoding, "
                     "one token at a time, sequential generation"),
        "forcing",
        gettext_lazy("In training all words are known: with a causal mask one pass predicts after each word what a "
                     "pass over the words so far predicts, as here. In writing each must be known before the next."),
        settings={"stack": "decoder", "show": "forcing"}),
    Faq("mask", gettext_lazy("What is a causal mask?"),
        gettext_lazy("what does a causal mask do, how does masking work in attention, triangular mask, tril, masked "
                     "self-attention, bidirectional or causal, difference between BERT and GPT attention, "
                     "how does a causal mask work in a GPT decoder"),
        "forcing",
        gettext_lazy("It hides all later words from each word: their scores become −∞, and their weights 0. So one "
                     "pass, as here, predicts each next word from those before it alone."),
        settings={"stack": "decoder", "show": "forcing"}),
    Faq("causal", gettext_lazy("Why does a decoder need a causal mask?"),
        gettext_lazy("purpose of the causal mask, look-ahead mask, subsequent mask, autoregressive, why a causal "
                     "mask in training if in generation there is nothing to the right"),
        "forcing",
        gettext_lazy("So that no word sees the one it is to predict: in training the whole text is there at once. "
                     "Without it, as here, one pass predicts something else than a pass over the words so far."),
        "fails", settings={"show": "forcing"}),
    Faq("length", gettext_lazy("Can attention take any length?"),
        gettext_lazy("context length, variable length, longer sequences than a transformer was trained on, handle "
                     "longer texts than in training, extrapolation, length generalization"),
        "any-length",
        gettext_lazy("Its parameters take any number of words; what can stop it is a learned table of positions. "
                     "That a model does well on longer texts than in training is another matter: most get worse "
                     "there, some positions more than others. Learning measures it, under Also show: “other "
                     "lengths”."),
        settings={"show": "length"}),
    Faq("table", gettext_lazy("Why does a model stop at 512 or 1,024 tokens?"),
        gettext_lazy("max_position_embeddings, index out of range in embedding, maximum sequence length"),
        "any-length",
        gettext_lazy("Its positions are a learned table, as here, and the next word has none in it."),
        "fails", settings={"show": "length", "positions": "learned"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("no padding mask"), {"unmasked": True}),
    law="e^{−∞} = 0",
    in_sight=("stack", "sentences", "side"),
    drawer=(
        Section(("positions", "window"), gettext_lazy("Stack")),
        Section(("targets",), gettext_lazy("Sentences")),
        Switches(("unmasked", "padding", "batch_norm", "score_std", "naive")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
