"""Whole GRPO steps of TRL's trainer on a CPU, generation included. Every line asks for one step.

Task: {folder, threads, seed, prompts (text), promptTokens, group, steps, rounds, letter, adam, clip, sizes, bf16}. Answer: {ms}.
"""

import sys
import tempfile

from common import Clock, open_model, say, task

import torch
from datasets import Dataset
from micro_batch import backward, fastest
from transformers import AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

model = open_model()
tokenizer = AutoTokenizer.from_pretrained(task["folder"])
prompts, group, steps, adam = task["prompts"], task["group"], task["steps"], task["adam"]
lengths = {len(tokenizer(prompt)["input_ids"]) for prompt in prompts}
assert lengths == {task["promptTokens"]}, f"prompts have {lengths} tokens here, and {task['promptTokens']} with us"


def trial(size):
    """A forward and backward pass of one group in micro-batches of this size."""
    tokens = torch.randint(0, model.config.vocab_size, (max(task["sizes"]), task["promptTokens"] + steps))
    model.zero_grad(set_to_none=True)
    backward(model, tokens, task["promptTokens"], torch.ones(len(tokens)), size, old=-3.0, clip=task["clip"], scale=1e-3)


sizes = task["sizes"]
size = fastest(sizes, trial) if len(sizes) > 1 else sizes[0]
model.zero_grad(set_to_none=True)


def reward(completions, **_):
    """How often a letter comes: different from answer to answer."""
    return [float(text.count(task["letter"])) for text in completions]


class Turns(TrainerCallback):
    """A step begins when a line comes, and answers it when its update is made. The first, unasked, warms up."""

    warm = False

    def on_step_begin(self, *_, **__):
        if self.warm and not sys.stdin.readline():
            raise SystemExit(0)
        self.clock = Clock()

    def on_step_end(self, *_, **__):
        passed = self.clock.lap()
        say({"ms": passed} if self.warm else {"ready": {"microBatch": size}})
        self.warm = True


with tempfile.TemporaryDirectory() as folder:
    config = GRPOConfig(
        output_dir=folder,
        use_cpu=True,
        bf16=task["bf16"],
        gradient_checkpointing=False,
        disable_dropout=True,
        seed=task["seed"],
        max_steps=task["rounds"] + 1,
        per_device_train_batch_size=size,
        gradient_accumulation_steps=len(prompts) * group // size,
        num_generations=group,
        max_completion_length=steps,
        generation_kwargs={"min_new_tokens": steps},
        temperature=1.0,
        top_p=1.0,
        top_k=0,
        beta=0.0,
        epsilon=task["clip"],
        loss_type="bnpo",
        learning_rate=adam["learningRate"],
        lr_scheduler_type="constant",
        adam_beta1=adam["beta1"],
        adam_beta2=adam["beta2"],
        adam_epsilon=adam["epsilon"],
        weight_decay=adam["weightDecay"],
        max_grad_norm=adam["clipNorm"],
        optim="adamw_torch_fused",
        logging_steps=1000,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
        shuffle_dataset=False,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=config,
        train_dataset=Dataset.from_dict({"prompt": prompts}),
        processing_class=tokenizer,
        callbacks=[Turns()],
    )
    trainer.train()
