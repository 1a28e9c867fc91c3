"""What bench/train.py compares with: the same training by TRL and transformers, in a Python that has both.

usage: train_baseline.py sft|grpo MODEL DATA THREADS SETTINGS

Prints what train_bench prints (bench/programs/train_bench.cc).
"""
import json
import os
import resource
import sys
import tempfile
import time
import warnings

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="")
warnings.filterwarnings("ignore")

import datasets  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import trl  # noqa: E402


class Clock:
    """Seconds on the wall and of the processor since the last call."""

    def __init__(self):
        self.last = time.perf_counter(), time.process_time()

    def lap(self):
        now = time.perf_counter(), time.process_time()
        spent = [a - b for a, b in zip(now, self.last)]
        self.last = now
        return spent


class PrintSteps(transformers.TrainerCallback):
    def __init__(self, report):
        self.report = report

    def on_step_end(self, args, state, control, **_):
        print(json.dumps(self.report(state.global_step)), flush=True)


def common(settings, out):
    return {
        "output_dir": out, "max_steps": settings["steps"], "learning_rate": settings["learning_rate"],
        "lr_scheduler_type": "constant", "weight_decay": 0.0, "adam_beta2": 0.95, "max_grad_norm": 1.0,
        "use_cpu": True, "bf16": settings["precision"] == "bfloat16", "gradient_checkpointing": False,
        "report_to": "none", "save_strategy": "no", "logging_strategy": "no", "disable_tqdm": True, "seed": 1,
    }


def load(folder):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=f"{folder}/tokenizer.json", eos_token="<|end|>",
                                                     pad_token="<|end|>")
    return model, tokenizer


def sft(folder, data, settings, out):
    model, tokenizer = load(folder)

    def row(example):
        parts = [tokenizer(example[part], add_special_tokens=False)["input_ids"] for part in ("prompt", "completion")]
        answer = parts[1] + [tokenizer.eos_token_id]
        return {"input_ids": parts[0] + answer, "labels": [-100] * len(parts[0]) + answer}

    with open(data, encoding="utf-8") as file:
        rows = datasets.Dataset.from_list([row(json.loads(line)) for line in file])
    arguments = trl.SFTConfig(
        **common(settings, out), per_device_train_batch_size=settings["micro_batch"],
        gradient_accumulation_steps=settings["batch"] // settings["micro_batch"], max_length=settings["context"],
        packing=True)
    tokens = 0

    class Counting(trl.SFTTrainer):
        def training_step(self, model, inputs, *rest):
            nonlocal tokens
            tokens += int(inputs["attention_mask"].sum() if "attention_mask" in inputs else inputs["input_ids"].numel())
            return super().training_step(model, inputs, *rest)

    clock = Clock()

    def report(step):
        nonlocal tokens
        seconds, processor = clock.lap()
        line = {"step": step, "tokens": tokens, "seconds": seconds, "processor_seconds": processor}
        tokens = 0
        return line

    trainer = Counting(model=model, args=arguments, train_dataset=rows, processing_class=tokenizer,
                       callbacks=[PrintSteps(report)])
    clock.lap()
    trainer.train()


def grpo(folder, data, settings, out):
    model, tokenizer = load(folder)
    with open(data, encoding="utf-8") as file:
        prompts = datasets.Dataset.from_list([{"prompt": json.loads(line)["prompt"]} for line in file])
    samples = settings["prompts"] * settings["group"]
    arguments = trl.GRPOConfig(
        **common(settings, out), per_device_train_batch_size=settings["micro_batch"],
        gradient_accumulation_steps=samples // settings["micro_batch"], num_generations=settings["group"],
        max_completion_length=settings["max_tokens"], temperature=1.0, top_p=1.0, top_k=0, beta=0.02, loss_type="grpo")
    line, clock = {}, Clock()

    def every_other(completions, completion_ids, **_):
        line["tokens"] = sum(len(ids) for ids in completion_ids)
        return [float(i % 2 == 0) for i in range(len(completions))]

    class Timed(trl.GRPOTrainer):
        def _generate(self, *arguments, **named):
            line["before_seconds"], line["before_processor_seconds"] = clock.lap()
            made = super()._generate(*arguments, **named)
            line["sampling_seconds"], line["sampling_processor_seconds"] = clock.lap()
            return made

    def report(step):
        seconds, processor = clock.lap()
        made = {"step": step, "tokens": line["tokens"], "sampling_seconds": line["sampling_seconds"],
                "sampling_processor_seconds": line["sampling_processor_seconds"],
                "update_seconds": seconds + line["before_seconds"],
                "update_processor_seconds": processor + line["before_processor_seconds"]}
        line.clear()
        return made

    trainer = Timed(model=model, args=arguments, train_dataset=prompts, processing_class=tokenizer,
                    reward_funcs=every_other, callbacks=[PrintSteps(report)])
    clock.lap()
    trainer.train()


def main():
    method, folder, data, threads, settings = sys.argv[1:]
    torch.set_num_threads(int(threads))
    print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "trl": trl.__version__}))
    with tempfile.TemporaryDirectory() as out:
        {"sft": sft, "grpo": grpo}[method](folder, data, json.loads(settings), out)
    print(json.dumps({"peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
