"""Where the items come from: papers that answered them, and places where people ask."""

from typing import Final

from attention_core.concept_test.item import Source

_ARXIV: Final = "https://arxiv.org/abs/"

VASWANI: Final = Source("Vaswani et al. (2017), Attention is all you need", f"{_ARXIV}1706.03762")
YUN: Final = Source(
    "Yun et al. (2020), Are transformers universal approximators of sequence-to-sequence functions?",
    "https://openreview.net/forum?id=ByxRM0Ntvr",
)
HAVIV: Final = Source(
    "Haviv et al. (2022), Transformer language models without positional encodings still learn positional "
    "information",
    f"{_ARXIV}2203.16634",
)
PRESS: Final = Source("Press, Smith, Lewis (2021), Train short, test long", f"{_ARXIV}2108.12409")
CORDONNIER: Final = Source(
    "Cordonnier, Loukas, Jaggi (2019), On the relationship between self-attention and convolutional layers",
    f"{_ARXIV}1911.03584",
)
DOSOVITSKIY: Final = Source("Dosovitskiy et al. (2020), An image is worth 16x16 words", f"{_ARXIV}2010.11929")
PADDING: Final = Source(
    "jadore801120/attention-is-all-you-need-pytorch, issue 134: About position embedding and mask",
    "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/134",
)
CAUSAL_PADDING: Final = Source(
    "facebookresearch/SymbolicMathematics, issue 19: About the attn_mask",
    "https://github.com/facebookresearch/SymbolicMathematics/issues/19",
)
SPLIT: Final = Source(
    "Stack Exchange: How are the embedding split between multihead in transformers",
    "https://stats.stackexchange.com/questions/612334",
)
NAMAZIFAR: Final = Source(
    "Namazifar, Hazarika, Hakkani-Tür (2023), Role of bias terms in dot-product attention", f"{_ARXIV}2302.08626"
)
SU: Final = Source("Su et al. (2021), RoFormer: rotary position embedding", f"{_ARXIV}2104.09864")
IOFFE: Final = Source("Ioffe, Szegedy (2015), Batch normalization", f"{_ARXIV}1502.03167")
BA: Final = Source("Ba et al. (2016), Layer normalization", f"{_ARXIV}1607.06450")
GEVA: Final = Source(
    "Geva et al. (2020), Transformer feed-forward layers are key-value memories", f"{_ARXIV}2012.14913"
)
BHOJANAPALLI: Final = Source(
    "Bhojanapalli et al. (2020), Low-rank bottleneck in multi-head attention models", f"{_ARXIV}2002.07028"
)
DONG: Final = Source("Dong et al. (2021), Attention is not all you need", f"{_ARXIV}2103.03404")
AINSLIE: Final = Source("Ainslie et al. (2023), GQA", f"{_ARXIV}2305.13245")
SHAZEER: Final = Source("Shazeer (2019), Fast transformer decoding", f"{_ARXIV}1911.02150")
DAO: Final = Source("Dao et al. (2022), FlashAttention", f"{_ARXIV}2205.14135")
KOBAYASHI: Final = Source("Kobayashi et al. (2020), Attention is not only a weight", f"{_ARXIV}2004.10102")
BRUNNER: Final = Source("Brunner et al. (2019), On identifiability in transformers", f"{_ARXIV}1908.04211")
XIAO: Final = Source(
    "Xiao et al. (2023), Efficient streaming language models with attention sinks", f"{_ARXIV}2309.17453"
)
