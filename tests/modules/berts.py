"""BERT of transformers, small and with random weights."""

import torch
from transformers import BertConfig, BertModel

from tests.modules.draws import F64, redrawn


def bert_config(sizes: tuple[int, int], layers: int = 1) -> BertConfig:
    heads, d_head = sizes
    return BertConfig(
        hidden_size=heads * d_head,
        num_attention_heads=heads,
        num_hidden_layers=layers,
        intermediate_size=37,
        vocab_size=41,
        max_position_embeddings=23,
        attn_implementation="eager",
    )


def bert(layers: int = 2) -> dict[str, torch.Tensor]:
    """A checkpoint with random weights, for tokens of 6 numbers and 2 heads."""
    return redrawn(BertModel(bert_config((2, 3), layers)).to(F64)).state_dict()
