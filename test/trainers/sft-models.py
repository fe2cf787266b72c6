"""Models with random weights and tokenizers of bytes: python sft-models.py trl|torchtune FOLDER HIDDEN INNER LAYERS HEADS."""

import json
import os
import sys

KIND, FOLDER = sys.argv[1:3]
HIDDEN, INNER, LAYERS, HEADS = map(int, sys.argv[3:])
#: Marks what the assistant says, for a loss on replies alone.
TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' }}"
    "{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] + '<|im_end|>' }}{% endgeneration %}{{ '\\n' }}"
    "{% else %}{{ m['content'] + '<|im_end|>\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def for_trl():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate(alphabet + special)}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(FOLDER)
    set_seed(1)
    config = Qwen2Config(
        vocab_size=len(vocabulary),
        hidden_size=HIDDEN,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        eos_token_id=vocabulary["<|im_end|>"],
        pad_token_id=0,
    )
    Qwen2ForCausalLM(config).save_pretrained(FOLDER)


def for_torchtune():
    """In torchtune's own shape: its tokenizer has its special tokens behind all those of the hub's model."""
    import torch
    from safetensors.torch import save_file
    from torchtune.models.qwen2 import qwen2
    from torchtune.models.qwen2._convert_weights import qwen2_tune_to_hf
    from torchtune.models.qwen2._tokenizer import bytes_to_unicode

    os.makedirs(FOLDER)
    torch.manual_seed(1)
    model = qwen2(
        vocab_size=151936,
        num_layers=LAYERS,
        num_heads=HEADS,
        num_kv_heads=2,
        embed_dim=HIDDEN,
        intermediate_dim=INNER,
        max_seq_len=512,
        tie_word_embeddings=True,
    )
    weights = qwen2_tune_to_hf(
        model.state_dict(), num_heads=HEADS, num_kv_heads=2, dim=HIDDEN, tie_word_embeddings=True
    )
    tensors = {name: value.contiguous() for name, value in weights.items()}
    save_file(tensors, f"{FOLDER}/model.safetensors", {"format": "pt"})
    config = {
        "model_type": "qwen2",
        "hidden_size": HIDDEN,
        "num_attention_heads": HEADS,
        "num_key_value_heads": 2,
        "vocab_size": 151936,
        "tie_word_embeddings": True,
    }
    letters = {letter: number for number, letter in enumerate(bytes_to_unicode().values())}
    for name, text in {
        "config.json": json.dumps(config),
        "vocab.json": json.dumps(letters),
        "merges.txt": "#version: 0.2\n",
    }.items():
        with open(f"{FOLDER}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


{"trl": for_trl, "torchtune": for_torchtune}[KIND]()
