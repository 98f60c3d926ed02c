"""Small random models in folders, as a visitor may bring them."""

from pathlib import Path
from typing import Any

import torch

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.measuring import models
from attention_core.measuring.inputs import draw_parameters
from attention_core.modules.positions import Learned
from attention_core.studies.trained import TrainedConfig, read_files

SIZES = {"vocab_size": 11, "d_model": 16, "num_heads": 4, "num_layers": 2, "d_ff": 32}


def folder_of(where: Path, seed: int = 0, **options: Any) -> Path:
    """A small random model in a folder."""
    model = Checkpoint(CheckpointConfig(**SIZES | {"position": Learned(24)} | options), dtype=torch.float64)
    draw_parameters(model, seed, bias_std=0.5)
    model.to(torch.float32).save(where)
    return where


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def brought(where: Path, **options: Any) -> models.Brought:
    return read_files(bytes_of(folder_of(where, **options)), "one")


def config_of(model: models.Brought, **settings: Any) -> TrainedConfig:
    return TrainedConfig(model="own", brought=model.digest, text=("1", "2", "3", "1", "5"), **settings)
