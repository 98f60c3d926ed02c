"""The statements of the three documents that this project began with, and where each is shown.

The sentences are ours. A row names the claim that measures it, a place of its own, or both: then the place is shown.
``FURTHER`` are papers that our own claims and our history of biases lean on.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final

from attention_core.claims.ledger import claims
from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, NOTES, REVIEW, Claim

_CLAIMS: Final[Mapping[str, Claim]] = {claim.id: claim for claim in claims()}


@dataclass(frozen=True, slots=True)
class Document:
    """One of the three.

    Attributes:
        name: As the ledger calls it.
        title: Its title, author and year, as far as it gives them.
        about: What it is about, in a sentence.
        references: Its references: what each is, and its address.
    """

    name: str
    title: str
    about: str
    references: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a document, and where it is shown.

    Attributes:
        source: Name of the document.
        place: Where in it.
        statement: What it says, in our words.
        claim: Id of the claim that measures it; empty where none does.
        page: Page that shows it, where that is not the claim's.
        link: What that page needs in its link, by the names of its settings.
        wrong: What is to be corrected or completed, where the claim's entry does not say so.
    """

    source: str
    place: str
    statement: str
    _: KW_ONLY
    claim: str = ""
    page: str = ""
    link: Mapping[str, str] = field(default_factory=dict)
    wrong: str = ""

    @property
    def where(self) -> tuple[str, dict[str, str]]:
        """The page that shows it, and the parameters of its link."""
        if self.page:
            return self.page, {f"{self.page}_{name}": text for name, text in self.link.items()}
        return _CLAIMS[self.claim].page, _CLAIMS[self.claim].parameters()

    @property
    def corrected(self) -> str:
        """The correction or addition; empty where the statement holds as it stands."""
        if self.wrong or not self.claim:
            return self.wrong
        correction = _CLAIMS[self.claim].correction
        return _("{found}, since {reason}", found=correction.found, reason=correction.why) if correction else ""


DOCUMENTS: Final = (
    Document(
        CODE,
        _("In-depth analysis of self-attention from source code, by Hai Chenwei (PaperWeekly)"),
        _("Questions and answers about self-attention, and BERT's implementation in PyTorch."),
        {
            _(
                "On what multiplying matrices and tensors costs"
            ): "https://liwt31.github.io/2018/10/12/mul-complexity/",
            _("The code that it comments"): (
                "https://github.com/hichenway/CodeShare/tree/master/bert_pytorch_source_code"
            ),
        },
    ),
    Document(
        NOTES,
        _("Notes on attention bias (2025)"),
        _("Why attention does not see order, and what biases of queries, keys and values do."),
        {
            "Vaswani et al. (2017), Attention is all you need": "https://arxiv.org/abs/1706.03762",
            "Namazifar, Hazarika, Hakkani-Tür (2023), Role of bias terms in dot-product attention": (
                "https://arxiv.org/abs/2302.08626"
            ),
            "Yun et al. (2020), Are transformers universal approximators of sequence-to-sequence functions?": (
                "https://openreview.net/forum?id=ByxRM0Ntvr"
            ),
        },
    ),
    Document(
        REVIEW,
        _("EECS 182 Deep Neural Networks, final review: transformers, Anant Sahai (Berkeley, spring 2023)"),
        _("Exercises with solutions on scaling, heads, masks, cost and layer normalization."),
        {"Vaswani et al. (2017), Attention is all you need": "https://arxiv.org/abs/1706.03762"},
    ),
)

FURTHER: Final[Mapping[str, str]] = {
    "Ba et al. (2016), Layer normalization": "https://arxiv.org/abs/1607.06450",
    "Zhang, Sennrich (2019), Root mean square layer normalization": "https://arxiv.org/abs/1910.07467",
    "Shazeer (2019), Fast transformer decoding": "https://arxiv.org/abs/1911.02150",
    "Katharopoulos et al. (2020), Transformers are RNNs": "https://arxiv.org/abs/2006.16236",
    "Xiong et al. (2020), On layer normalization in the transformer architecture": "https://arxiv.org/abs/2002.04745",
    "Dong et al. (2021), Attention is not all you need": "https://arxiv.org/abs/2103.03404",
    "Su et al. (2021), RoFormer: rotary position embedding": "https://arxiv.org/abs/2104.09864",
    "Liu et al. (2022), Swin transformer V2": "https://arxiv.org/abs/2111.09883",
    "Chowdhery et al. (2022), PaLM": "https://arxiv.org/abs/2204.02311",
    "Ainslie et al. (2023), GQA": "https://arxiv.org/abs/2305.13245",
    "Bai et al. (2023), Qwen technical report": "https://arxiv.org/abs/2309.16609",
}

SAID: Final = (
    Said(CODE, _("question 1"),
         _("The core of self-attention is to enrich each word with what the other words of its text hold."),
         claim="soft-lookup"),
    Said(CODE, _("question 2"),
         _("Similarities and weighted sum take n²·d operations each, softmax n²."), claim="cplx-core"),
    Said(CODE, _("question 2"),
         _("All heads are computed at once by reshaping and transposing, not one after the other."),
         claim="mha-reshape"),
    Said(CODE, _("question 2"),
         _("Products of tensors are faster in practice, so the actual complexity will be lower."),
         page="complexity", link={"measure": "heads", "seconds": "2"},
         wrong=_("the time falls where heads are computed at once; the operations, and their growth, stay as "
                 "they are")),
    Said(CODE, _("questions 2 and 3"),
         _("Several heads serve a purpose like that of several kernels of a convolution."),
         claim="head-tap",
         wrong=_("heads that look a fixed distance away are the taps of one kernel; a head that chooses is none")),
    Said(CODE, _("question 2"),
         _("The width is cut into heads: it is their number times the size of one."), claim="mha-divisible"),
    Said(CODE, _("question 3"),
         _("Without the three matrices a word is its own query and key, and attends most to itself."),
         claim="qkv-none"),
    Said(CODE, _("question 3"),
         _("The three matrices let a word attend to others."), page="projections", link={"topic": "identity"}),
    Said(CODE, _("question 4"), _("Keys and values may share one matrix, which saves parameters."), claim="qkv-tied"),
    Said(CODE, _("question 4"), _("That loses nothing, in its author's untested opinion."), claim="learn-tied"),
    Said(CODE, _("the constructor"),
         _("A width that is no multiple of the number of heads is refused."), claim="mha-divisible"),
    Said(CODE, _("transposes and reshapes"),
         _("Heads are moved before the tokens, so that products run along the text."), claim="mha-reshape"),
    Said(CODE, _("the forward pass"),
         _("Scores are divided by the root of a head's size, which brings their variance to 1."), claim="scale-var"),
    Said(CODE, _("the forward pass"),
         _("A mask is added to the scores: a large negative number where nothing may be seen."),
         claim="mask-additive"),
    Said(CODE, _("the forward pass"),
         _("Softmax turns each row of scores into shares, and dropout throws some of them away."), claim="drop-rows"),
    Said(NOTES, _("the introduction"),
         _("Attention does not see order, and that is why positions are added."), claim="pe-order"),
    Said(NOTES, _("the definitions"),
         _("A block is X + LN(attention), then X + LN(FFN), as in the original transformer."),
         claim="norm-place"),
    Said(NOTES, _("the definitions"), _("The feed-forward network bends by ReLU."), page="normalization",
         link={"topic": "block", "activation": "relu"},
         wrong=_("as in 2017; BERT and GPT take GELU, and what a block keeps does not depend on it")),
    Said(NOTES, _("the definitions"),
         _("Equivariant is what shuffles its outputs as its inputs are shuffled; invariant, what does not notice."),
         claim="perm-self"),
    Said(NOTES, _("the definitions"),
         _("LayerNorm subtracts a token's mean, divides by its spread, and scales and shifts each feature."),
         claim="ln-norm"),
    Said(NOTES, _("the proof"), _("Shuffling keys together with their values changes nothing."), claim="perm-kv"),
    Said(NOTES, _("the proof"), _("Shuffling the queries shuffles the outputs alike."), claim="perm-q"),
    Said(NOTES, _("before the section on bias"),
         _("A linear map commutes with shuffling; with a bias, it says, no longer."),
         claim="perm-bias", wrong=_("with a bias it commutes too, since every token gets the same one")),
    Said(NOTES, _("before the section on bias"),
         _("Softmax removes the query bias and LayerNorm another: so biases do not matter to order."),
         claim="bias-q"),
    Said(NOTES, _("the section on bias"),
         _("Adding one number to all scores changes no weight."), claim="softmax-shift"),
    Said(NOTES, _("the section on bias"),
         _("The value bias passes through, since weights add up to 1."), claim="bias-v"),
    Said(NOTES, _("the section on bias"), _("The key bias has no effect on the output."), claim="bias-k"),
    Said(NOTES, _("the close of the section on bias"),
         _("The query bias and one other change the result."), claim="bias-q"),
    Said(NOTES, _("after the section on bias"),
         _("LayerNorm takes a block's equivariance away, so the third reference is wrong."), claim="perm-block"),
    Said(NOTES, _("after the section on bias"),
         _("A bias before BatchNorm has no effect, before LayerNorm it has."), claim="bias-norm"),
    Said(NOTES, _("why there is no bias"),
         _("A bias is what a layer answers on average: prior knowledge."), claim="bias-mean"),
    Said(NOTES, _("why there is no bias"),
         _("Prior knowledge may make training unstable where the data shift, which PaLM avoids by having no biases."),
         page="biases", link={"tab": "why", "curve": "mean"},
         wrong=_("PaLM reports more stable training and gives no reason; this one is a guess, and not "
                 "measured here")),
    Said(NOTES, _("why there is no bias"), _("RMSNorm and rotary positions keep prior knowledge out too."),
         page="biases", link={"tab": "why", "curve": "norms"},
         wrong=_("RMSNorm has no shift of its own, but leaves a bias before it in force; rotary positions make even "
                 "the key bias count")),
    Said(NOTES, _("the appendix"),
         _("In float32 an output with a key bias differs from one without by about 10⁻⁸."), claim="bias-appendix"),
    Said(REVIEW, _("figure 1"),
         _("A transformer is an encoder and a decoder of attention, feed-forward, add and norm."),
         page="home"),
    Said(REVIEW, _("question 2, the code"),
         _("Multi-head attention projects, cuts into heads, attends, joins and projects."),
         page="anatomy", link={"tab": "why"}),
    Said(REVIEW, _("question 1"),
         _("The product of independent query and key has mean 0 and variance d_head."), claim="scale-var"),
    Said(REVIEW, _("question 1"), _("With growing variance softmax comes to choose one key."), claim="scale-sat"),
    Said(REVIEW, _("question 1"),
         _("The Jacobian of softmax is at most n times the weight that the best key leaves."), claim="scale-jac"),
    Said(REVIEW, _("question 1"), _("So the gradient vanishes."), claim="scale-grad"),
    Said(REVIEW, _("question 1, as it is often read"), _("Without the factor attention does not train."),
         claim="learn-scale"),
    Said(REVIEW, _("question 1, the code"),
         _("Softmax is computed in float32, whatever the precision of the scores."),
         page="biases", link={"curve": "shift"}),
    Said(REVIEW, _("question 2a"),
         _("A token sees 2ⁿ inputs through n layers of one head, 3ⁿ with two heads, (k + 1)ⁿ with k."),
         claim="rf-bound",
         wrong=_("at most so many, and where each head looks at one key: heads can be built that reach them all, "
                 "random ones tread on one another's paths")),
    Said(REVIEW, _("question 2b"), _("An encoder needs the padding mask alone."), claim="mask-encoder"),
    Said(REVIEW, _("question 2b"),
         _("A decoder needs the causal mask alone, where padding stands on the right."), claim="mask-decoder"),
    Said(REVIEW, _("question 2b"),
         _("Encoder and decoder together need padding masks in the encoder and in cross-attention."),
         claim="mask-encdec"),
    Said(REVIEW, _("question 2c"),
         _("Multi-head attention takes n_t·d² + n_s·d² + n_t·n_s·d operations, but for a factor."), claim="cplx-mha"),
    Said(REVIEW, _("question 2c"),
         _("It takes n_t·d_head²·h² + n_s·d_head²·h² + n_t·n_s·d_head·h, which is the same."),
         claim="cplx-heads"),
    Said(REVIEW, _("question 2c"), _("Each line that rearranges takes as many steps as there are numbers."),
         page="complexity", link={"tab": "why"},
         wrong=_("only where it copies: a cut into heads may be a view, which moves no byte")),
    Said(REVIEW, _("question 2d"),
         _("Wide models with short texts wait for the projections, narrow ones with long texts for scores."),
         claim="cplx-bottleneck"),
    Said(REVIEW, _("question 3a"),
         _("LayerNorm looks at one token alone, BatchNorm at one feature."), claim="ln-deps"),
    Said(REVIEW, _("question 3b"),
         _("After LayerNorm, and without its shift, a token has the length γ·√d."), claim="ln-norm"),
)  # fmt: skip
