"""What a ``config.json`` says: a setting is asked for by its name there, and one that nobody asks for is refused."""

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


class Said:
    """What a ``config.json`` says, and which of it was asked for.

    Args:
        said: Its JSON object.
        aliases: Second names that a library takes for some of its settings: the name of each.

    Raises:
        CheckpointError: If two names of one setting do not agree.
    """

    def __init__(self, said: Mapping[str, Any], aliases: Mapping[str, str]) -> None:
        self._said, self._written, self._asked = dict(said), dict[str, str](), {"model_type"}
        for alias, name in aliases.items():
            if alias not in said:
                continue
            value = self._said.pop(alias)
            if self._said.setdefault(name, value) != value:
                both = f"{name} = {short(said[name])} and {alias} = {short(value)}"
                raise CheckpointError(f"config.json says {both}: they are one setting, and must agree.")
            if name not in said:
                self._written[name] = alias

    def get(self, name: str, default: Any = None) -> Any:
        """What it says of a setting; ``default`` where it does not."""
        self._asked.add(name)
        return self._said.get(name, default)

    def refused(self, name: str, needed: str) -> CheckpointError:
        """The sentence for a value that is not possible, with the name that it has in the file."""
        if name not in self._said:
            return CheckpointError(f"config.json does not say {name}: {needed}.")
        return refused(self.written(name), self._said[name], needed)

    def written(self, name: str) -> str:
        """The name that a setting has in this file."""
        return self._written.get(name, name)

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
        return value

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
        """Refuse what nobody asked for, unless it is known to compute nothing; null says that it is not set.

        Raises:
            CheckpointError: If there is such a setting.
        """
        for name in self._said.keys() & ONLY.keys() - self._asked:
            self.only(name, *ONLY[name], None)
        for name, value in self._said.items():
            if name not in self._asked and name not in IDLE and value is not None:
                known = "what it changes is not known here, and may be what the model computes"
                raise CheckpointError(f"config.json says {short(name)} = {short(value)}: {known}.")
