"""Reads the settings of a ``config.json`` by name; one that is never read is refused."""

from collections.abc import Mapping
from typing import Any, Final

from attention_core.checkpoints.config import LARGEST_OPTION, refused
from attention_core.checkpoints.tensor_file import CheckpointError, short

# Settings that compute nothing here, whatever they say: names, training, labels of other tasks, how a library runs.
_IDLE: Final = """
_attn_implementation _attn_implementation_autoset _attn_implementation_internal _commit_hash
_experts_implementation _experts_implementation_internal _name_or_path _num_labels architectures
attn_implementation auto_map custom_pipelines dtype experts_implementation finetuning_task id2label label2id
language name_or_path num_labels prefix problem_type task_specific_params tokenizer_class torch_dtype
transformers.js_config transformers_version unsloth_fixed unsloth_version

_output_attentions chunk_size_feed_forward output_attentions output_hidden_states output_past output_scores
return_dict return_dict_in_generate tie_last_hidden_states torchscript use_bfloat16 use_cache use_return_dict
xla_device

attention_dropout attention_probs_dropout_prob attn_pdrop classifier_dropout dropout embd_pdrop embed_dropout
gradient_checkpointing hidden_dropout hidden_dropout_prob initializer_factor initializer_range pretraining_tp
qa_dropout resid_dropout resid_pdrop seq_classif_dropout tf_legacy_loss

directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type
predict_special_tokens summary_activation summary_first_dropout summary_last_dropout summary_proj_to_labels
summary_type summary_use_proj

assistant_confidence_threshold assistant_early_exit assistant_lookbehind bad_words_ids begin_suppress_tokens
bos_token_id cache_config cache_implementation constraints decoder_start_token_id disable_compile
diversity_penalty do_sample dola_layers early_stopping encoder_no_repeat_ngram_size encoder_repetition_penalty
eos_token_id epsilon_cutoff eta_cutoff exponential_decay_length_penalty force_words_ids forced_bos_token_id
forced_decoder_ids forced_eos_token_id generation_config guidance_scale is_assistant length_penalty low_memory
max_length max_matching_ngram_size max_new_tokens max_time min_length min_new_tokens min_p no_repeat_ngram_size
num_assistant_tokens num_assistant_tokens_schedule num_beam_groups num_beams num_return_sequences
output_logits pad_token_id penalty_alpha prefill_chunk_size prompt_lookup_num_tokens remove_invalid_values
renormalize_logits repetition_penalty sep_token_id sequence_bias stop_strings suppress_tokens target_lookbehind
temperature token_healing top_h top_k top_p typical_p use_mtp watermarking_config
"""
IDLE: Final = frozenset(_IDLE.split())
# Settings of which these values alone compute nothing.
ONLY: Final[Mapping[str, tuple[Any, ...]]] = {
    "add_cross_attention": (False,), "is_encoder_decoder": (False,), "partial_rotary_factor": (1,),
    "per_layer_config": ({},), "pruned_heads": ({},), "rope_interleaved": (False,), "tie_encoder_decoder": (False,),
    "use_mrope": (False,),
}  # fmt: skip


class ConfigReader:
    """The settings of a ``config.json``, and which of them were read.

    Args:
        content: Its JSON object.
        aliases: Second names that a library takes for some of its settings: the name of each.
        within: The setting whose settings these are, and a dot; empty for those of the whole.

    Raises:
        CheckpointError: If two names of one setting do not agree.
    """

    def __init__(self, content: Mapping[str, Any], aliases: Mapping[str, str], within: str = "") -> None:
        self._within = within
        self._content, self._aliases_used, self._read = dict(content), dict[str, str](), {"model_type"}
        for alias, name in aliases.items():
            if alias not in content:
                continue
            value = self._content.pop(alias)
            if self._content.setdefault(name, value) != value:
                both = f"{name} = {short(content[name])} and {alias} = {short(value)}"
                raise CheckpointError(f"config.json says {both}: they are one setting, and must agree.")
            if name not in content:
                self._aliases_used[name] = alias

    def get(self, name: str, default: Any = None) -> Any:
        """A setting's value, or ``default``."""
        self._read.add(name)
        return self._content.get(name, default)

    def refused(self, name: str, needed: str) -> CheckpointError:
        """The error for an impossible value, with its name in the file."""
        if name not in self._content:
            return CheckpointError(f"config.json does not say {self._within}{name}: {needed}.")
        return refused(self.written(name), self._content[name], needed)

    def written(self, name: str) -> str:
        """A setting's name in this file."""
        return self._within + self._aliases_used.get(name, name)

    @property
    def read(self) -> frozenset[str]:
        """The names of the settings that were read."""
        return frozenset(self._read)

    def says(self, name: str) -> bool:
        """Whether it says something of a setting; null says nothing."""
        return self.get(name) is not None

    def inner(self, name: str) -> "ConfigReader":
        """The settings within a setting, each of which must be read.

        Raises:
            CheckpointError: If it says another thing.
        """
        value = self.get(name)
        if not isinstance(value, dict):
            raise self.refused(name, "settings with their names are needed")
        return ConfigReader(value, {}, self.written(name) + ".")

    def whole(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number.

        Raises:
            CheckpointError: If it says another thing, or nothing and there is no ``default``.
        """
        value = self.get(name, default)
        if type(value) is not int or not least <= value <= most:
            raise self.refused(name, f"a whole number from {least} to {most:,} is needed")
        return value

    def positive(self, name: str, default: float) -> float:
        """A positive number.

        Raises:
            CheckpointError: If it says another thing.
        """
        value = self.get(name, default)
        if type(value) not in (int, float) or not 0 < value < LARGEST_OPTION:
            raise self.refused(name, "a positive number is needed")
        return float(value)

    def switch(self, name: str, default: bool) -> bool:
        """True or false.

        Raises:
            CheckpointError: If it says another thing.
        """
        value = self.get(name, default)
        if type(value) is not bool:
            raise self.refused(name, "true or false is needed")
        return value

    def only(self, name: str, *values: Any) -> None:
        """Refuse a setting unless it is missing or one of the values.

        Raises:
            CheckpointError: If it is neither.
        """
        if self.get(name, values[0]) not in values:
            raise self.refused(name, f"only {values[0]!r} has a counterpart here")

    def check_rest(self) -> None:
        """Refuse settings that were never read, unless they compute nothing; null means not set.

        Raises:
            CheckpointError: If there is such a setting.
        """
        for name in self._content.keys() & ONLY.keys() - self._read:
            self.only(name, *ONLY[name], None)
        for name, value in self._content.items():
            idle = not self._within and name in IDLE
            if name not in self._read and not idle and value is not None:
                known = "what it changes is not known here, and may be what the model computes"
                raise CheckpointError(f"config.json says {short(self._within + name)} = {short(value)}: {known}.")
