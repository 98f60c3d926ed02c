"""Images: a small vision transformer looks at a picture, patch by patch."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
    File,
    Frame,
    Page,
    Picture,
    Predict,
    Preset,
    Results,
    Section,
    Switches,
    Tabs,
    own_picture,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import OR, gettext_lazy, listed
from attention_core.language import gettext as _
from attention_core.measuring.settings import OneOf, setting
from attention_core.studies import images as study
from attention_core.studies.images import draw

SPEC = PageSpec(
    name="images",
    title=gettext_lazy("Images"),
    icon=":material/image:",
    section=gettext_lazy("How it trains"),
    claim=gettext_lazy(
        "Patches of a picture are tokens like words, and without positions their order does not count."
    ),
)

SAME = gettext_lazy("Stays, with the same probability")
OTHER = gettext_lazy("Gets another probability, or becomes another")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Whose weights are drawn on the picture."""

    layer: int = setting(study.LAYERS, OneOf(range(1, study.LAYERS + 1), label=gettext_lazy("Layer")))
    head: int = setting(0, OneOf(range(study.HEADS + 1), shown=draw.head_name, label=gettext_lazy("Head")))
    query: int = setting(
        0,
        OneOf(
            range(study.PATCHES + 1),
            shown=draw.token_name,
            label=gettext_lazy("Query"),
            hint=gettext_lazy("The token that collects the answer, or a patch by its row and its column."),
        ),
    )


PRESETS = (
    Preset(
        gettext_lazy("Shuffle the patches"),
        gettext_lazy("In another order, without positions: is it still a ring?"),
        {"shuffled": True},
        spoils=True,
    ),
    Preset(
        gettext_lazy("Two shapes"),
        gettext_lazy("One answer for two shapes: which of them does it look at?"),
        {"picture": "two", "positions": "learned"},
    ),
    Preset(
        gettext_lazy("Only noise"),
        gettext_lazy("Nothing is there, and it names one of six shapes all the same."),
        {"picture": "noise", "positions": "learned"},
    ),
    Preset(
        gettext_lazy("Where it looks, what it needs"),
        gettext_lazy("Weights of one head beside what covering each patch costs."),
        {"picture": "cross", "positions": "learned", "layer": 2, "head": 1},
    ),
)


def grade(result: study.ImagesResult) -> str | None:
    """What becomes of the answer after the shuffle."""
    verdict = result.verdict("vit-order.same")
    if verdict.expected is None:
        return None
    return SAME if verdict.holds else OTHER


PREDICT = Predict(
    gettext_lazy("All patches are shuffled, and there are no positions. The class that it is taken for …"),
    (SAME, OTHER),
    {"shuffled": True},
    grade,
    headline=gettext_lazy("A picture is cut into 16 patches. Does it matter where they stand?"),
    claim="vit-order",
    spoilers=("vit-order",),
)


def measured(config: study.ImagesConfig) -> study.ImagesResult:
    return compute(study.run_images if config.is_light else study.steps_images, config)


def picture_of(config: study.ImagesConfig, view: View) -> MatrixView:
    return draw.images_view(config, measured(config), layer=view.layer - 1, head=view.head, query=view.query)


def draw_picture(config: study.ImagesConfig, view: View, at: Picture) -> None:
    selected = (draw.LOOKS, *draw.patch_at(view.query - 1)) if view.query else None

    def choose(new: tuple[int, int, int] | None) -> None:
        """A press on the picture asks for a patch's weights, or covers a patch; once more takes it back."""
        if new is None:
            return
        panel, row, column = new
        patch = 1 + row * study.GRID + column
        if panel == draw.COSTS:
            if put := at.setter("covered"):
                put(0 if config.covered == patch else patch)
        elif put := at.setter("query"):
            token = row if panel == draw.ROWS else patch
            put(0 if view.query == token else token)

    matrix_view(at.shown, key=at.key, selected=selected, on_select=choose)
    if not at.live:
        return
    with at.caption:
        st.markdown(_(":small[Press a patch to see where it looks; under What covering costs, to cover it.]"))
        with st.expander(_("Draw a picture, or bring one"), expanded=config.picture == study.OWN):
            put = at.setters("picture", "pixels")
            pixels = study.digits_of(study.picture_of(config))
            own_picture.draw_own(page, pixels, put and (lambda drawn: put(picture=study.OWN, pixels=drawn)))
            known = listed(study.SHAPES.values(), OR)
            st.markdown(_(":small[It knows {shapes}, and calls whatever it sees one of them.]", shapes=known))
        # Not of every picture: above the board it would put that elsewhere between two strokes.
        if said := draw.agreement(measured(config), view.layer - 1, view.head):
            st.markdown(f":small[{said}]")


def results_of(config: study.ImagesConfig, _view: View) -> Results:
    return Results(measured(config), about=("vit-order",))


def details(config: study.ImagesConfig, _view: View, found: Results, _frame: Frame) -> Tabs:
    weights = File(
        "model.safetensors", "safetensors", "application/octet-stream", partial(study.weights_file, config)
    )
    return Tabs(
        why=draw.proof(found.main),
        table=lambda: draw.images_table(found.main),
        files=() if config.weights == "untrained" else (weights,),
    )


# fmt: off
FAQ = (
    Faq("images", gettext_lazy("Does attention work on images?"),
        gettext_lazy("vision transformer, ViT, ViT vs CNN, receptive field of a ViT, "
                     "image patches, attention for computer vision, pictures"),
        "vit-reach.attention",
        gettext_lazy("Yes: a picture is cut into patches, and each becomes a token. From then on it is the attention "
                     "that reads words: one layer of it sees the whole picture, and without positions the order of "
                     "the patches does not count."),
        on=("receptive_field",)),
    Faq("convolution", gettext_lazy("Is a patch embedding a convolution?"),
        gettext_lazy("Conv2d patch embedding, kernel_size stride patch_size, linear projection of patches, unfold"),
        "patch-linear",
        gettext_lazy("Yes: one whose kernel is as large as a patch and moves by a patch. Flattened, its weights are "
                     "those of a linear map.")),
    Faq("flatten", gettext_lazy("Why do my patch embeddings differ from Conv2d?"),
        gettext_lazy("flatten order, rearrange p1 p2, load pretrained ViT weights, patch pixels order"),
        "patch-linear",
        gettext_lazy("Often because pixels of a patch stand in another order than the kernel's weights, as here: "
                     "row by row and column by column are not the same."),
        "fails", settings={"columns_first": True}),
    Faq("order", gettext_lazy("Does a vision transformer need positions?"),
        gettext_lazy("ViT position embeddings, 2D positional encoding, shuffled patches, jigsaw"),
        "vit-order.same",
        gettext_lazy("Without them it takes a picture for the set of its patches, and gives the same answer to any "
                     "order of them."),
        on=("permutation",)),
    Faq("attention-map", gettext_lazy("Does an attention map show what matters?"),
        gettext_lazy("attention rollout, occlusion, saliency, heat map of ViT, where does a ViT look"),
        "vit-cover",
        gettext_lazy("What no token looks at does not matter. Of what is looked at the weights alone do not say how "
                     "much is lost without it: cover it and see."),
        on=("trained",)),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("add positions"), {"positions": "learned"}),
    law="x_i = W p_i + b",
    in_sight=("picture", "positions", "shuffled", "layer", "head"),
    drawer=(
        Section(("query",), gettext_lazy("Weights")),
        Section(("noise", "covered"), gettext_lazy("Picture")),
        Section(("weights",), gettext_lazy("Model")),
        Switches(("columns_first", "window", "averaged")),
    ),
    in_picture=("pixels",),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
