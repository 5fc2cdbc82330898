"""Make `voice_network.npz` anew: the network that hears whether somebody speaks under music, a crowd or traffic.

    python -m data.recipes.fitting.voice_network --set SET [--device cuda] [--steps 13000] [--quick]

fetches the sources of `data.recipes.material.voice_training` into `SET/voices` (some gigabytes), mixes ten seconds at
a time and trains. Ten minutes on a large GPU, far longer on a processor. `--quick` goes through all of it with a
hundred megabytes and a few steps, in minutes, to see that it runs; its weights are left in SET.

An example has up to two people who speak, now and then at very different levels, in a room or not, through a telephone
or not, over music, a crowd of 8 to 31 people, noise with things that pass, other sounds, or nothing but a floor of
noise, the voice -12 to 20 dB over it. In a fifth nobody speaks; in every seventh somebody sings, which is no speech.
What is asked is where the dry voice sounds, pauses up to 0.3 s closed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from data.recipes.fitting.cards import parser, write_figures
from data.recipes.material.voice_training import (
    PACKAGES,
    RATE,
    SMALL_PACKAGES,
    STEP,
    WATCHED,
    Bank,
    Clip,
    fetch_sources,
    read_bank,
)
from workbench.mix.voice_network import FLOOR, HOP, OFFSET, STRIDE, WEIGHTS_FILE, WINDOW
from workbench.models.loading import model_path

BANDS, WIDTH, SPAN, MAPS = 55, 7, 5, 16
CHANNELS, HIDDEN, TAPS = 96, 64, 5
DILATIONS = (1, 2, 4, 8, 16, 32, 64, 1)
SECONDS = 10
BATCH = 96
QUICK_STEPS, QUICK_BATCH = 20, 8
PEAK_RATE = 2e-3
_CLOSED_STEPS = 61
"""of a pause that belongs to the utterance, and one"""
_SPOKEN = 0.05
"""RMS of a clip of speech"""
_AGAIN = 3
"""how often what is said is mixed anew"""


def mel_bands() -> np.ndarray:
    """Weights of each frequency of the spectrum in each band, shape (n_frequencies, BANDS); every band sums to 1."""

    def mel(hertz: float) -> float:
        return 1127 * math.log1p(hertz / 700)

    edges = 700 * np.expm1(np.linspace(mel(60), mel(7900), BANDS + 2) / 1127)
    # Low bands are narrower than the spectrum's steps: a step holds all that lies around it.
    fine = np.arange(WINDOW // 2 * 16 + 1) * RATE / WINDOW / 16
    rise = (fine[:, None] - edges[:-2]) / np.diff(edges)[:-1]
    fall = (edges[2:] - fine[:, None]) / np.diff(edges)[1:]
    shape = np.clip(np.minimum(rise, fall), 0, None)
    around = 1 - np.abs(np.arange(-15, 16)) / 16
    padded = np.pad(shape, ((15, 15), (0, 0)))
    weights = np.stack([around @ padded[16 * k : 16 * k + 31] for k in range(WINDOW // 2 + 1)])
    return np.asarray(weights / weights.sum(axis=0), dtype=np.float32)


class VoiceNetwork(nn.Module):
    """The network as it is trained; `workbench.mix.voice_network.run` is the same in numpy."""

    def __init__(self) -> None:
        super().__init__()
        positions = (BANDS - WIDTH) // STRIDE + 1
        self.front = nn.Conv2d(1, MAPS, (SPAN, WIDTH), stride=(1, STRIDE), padding=(SPAN // 2, 0))
        self.gather = nn.Linear(2 * MAPS * positions, CHANNELS)
        self.convolve = nn.ModuleList(
            nn.Conv1d(CHANNELS, HIDDEN, TAPS, dilation=d, padding=d * (TAPS // 2)) for d in DILATIONS
        )
        self.mix = nn.ModuleList(nn.Conv1d(HIDDEN, CHANNELS, 1) for _ in DILATIONS)
        self.head = nn.Linear(CHANNELS, 2)
        self.drop = nn.Dropout(0.1)

    def forward(self, inputs: Tensor) -> Tensor:
        """Log-odds of each hop, shape (n, n_hops), of inputs of shape (n, n_hops, BANDS); n_hops is even."""
        count, hops, _ = inputs.shape
        x = F.relu(self.front((inputs + OFFSET)[:, None]))
        x = F.relu(self.gather(x.permute(0, 2, 1, 3).reshape(count, hops // 2, -1))).transpose(1, 2)
        for convolve, mix in zip(self.convolve, self.mix, strict=True):
            x = x + self.drop(mix(F.relu(convolve(x))))
        return self.head(F.relu(x).transpose(1, 2)).reshape(count, hops)


def export(network: VoiceNetwork) -> dict[str, np.ndarray]:
    """The arrays of a weights file: half floats, but for the bands."""
    packed: dict[str, Tensor] = {
        "front": network.front.weight[:, 0], "front_bias": network.front.bias,
        "gather": network.gather.weight, "gather_bias": network.gather.bias,
        "head": network.head.weight, "head_bias": network.head.bias,
    }  # fmt: skip
    for k, (convolve, mix) in enumerate(zip(network.convolve, network.mix, strict=True)):
        packed |= {f"convolve_{k}": convolve.weight, f"convolve_bias_{k}": convolve.bias}
        packed |= {f"mix_{k}": mix.weight[:, :, 0], f"mix_bias_{k}": mix.bias}
    halves = {name: tensor.detach().float().cpu().numpy().astype(np.float16) for name, tensor in packed.items()}
    return halves | {"dilations": np.array(DILATIONS), "mel": mel_bands()}


@dataclass(frozen=True)
class _Cut:
    """Where a clip lies in the sound of the bank, samples."""

    first: int
    size: int


class Mixer:
    """Mixes examples from a bank on a device.

    Parameters
    ----------
    bank : clips of every kind
    watched : whether the examples are of what is not learned from
    seed : of everything drawn
    seconds : of an example
    """

    def __init__(self, bank: Bank, device: str, *, watched: bool, seed: int, seconds: int = SECONDS) -> None:
        chosen = [c for c in bank if c.kind in ("sound", "sung") or (c.package in WATCHED) == watched]
        self._rng, self._device = np.random.default_rng(seed), device
        torch.manual_seed(seed)
        self._size = seconds * RATE
        self._steps = self._size // STEP
        self._fft = 2 ** math.ceil(math.log2(self._size + 24_000))
        self._hertz = torch.fft.rfftfreq(self._fft, 1 / RATE).to(device)
        self._sound = torch.from_numpy(np.concatenate([c.samples for c in chosen])).to(device)
        self._sounds = torch.from_numpy(np.concatenate([c.sounds for c in chosen])).to(device)
        self._window = torch.from_numpy(np.hanning(WINDOW + 1)[:-1].astype(np.float32)).to(device)
        self._mel = torch.from_numpy(mel_bands()).to(device)
        cuts = self._cuts(chosen)
        self._voices = [[cut for _, cut in some] for _, some in sorted(cuts.get("speech", {}).items())]
        weights = np.array([min(600.0, sum(cut.size for cut in some) / RATE) ** 0.6 for some in self._voices])
        self._shares = weights / weights.sum()
        self._music, self._other, self._singing = (
            [cut for some in cuts.get(kind, {}).values() for _, cut in some] for kind in ("music", "sound", "sung")
        )
        spans = [(some[0].first, some[-1].first + some[-1].size) for some in self._voices]
        self._spans = [(first, end) for first, end in spans if end - first > self._size + RATE] or [
            (0, max(self._size + 1, int(self._sound.numel())))
        ]

    @staticmethod
    def _cuts(clips: list[Clip]) -> dict[str, dict[tuple[str, str], list[tuple[Clip, _Cut]]]]:
        cuts: dict[str, dict[tuple[str, str], list[tuple[Clip, _Cut]]]] = {}
        first = 0
        for clip in clips:
            cuts.setdefault(clip.kind, {}).setdefault((clip.package, clip.who), []).append(
                (clip, _Cut(first, clip.samples.size))
            )
            first += clip.samples.size
        return cuts

    # --- what is said ---------------------------------------------------------------------------------------------

    def talk(self, count: int) -> tuple[Tensor, Tensor]:
        """Dry speech, shape (count, n_samples), and in which steps it sounds, shape (count, n_steps)."""
        rng = self._rng
        said = torch.zeros(count, self._size, device=self._device)
        sounds = torch.zeros(count, self._steps, dtype=torch.bool, device=self._device)
        for row in range(count):
            if rng.random() < 0.2:
                continue
            pair, alone = rng.choice(len(self._voices), 2, p=self._shares), rng.random() < 0.75
            spread = (-15.0, 0.0) if rng.random() < 0.25 else (-3.0, 3.0)
            most = 99 if rng.random() < 0.8 else int(rng.integers(1, 4))
            step = round(rng.uniform(0, 2.5) * RATE / STEP) if rng.random() > 0.15 else -round(rng.uniform(0, 400))
            for _ in range(most):
                voice = self._voices[pair[0] if alone or rng.random() < 0.5 else pair[1]]
                step = self._say(said[row], sounds[row], step, voice[int(rng.integers(len(voice)))], spread)
                step += round(self._pause() * RATE / STEP)
                if step >= self._steps:
                    break
        return said, sounds

    def _say(self, said: Tensor, sounds: Tensor, step: int, cut: _Cut, spread_db: tuple[float, float]) -> int:
        """Lay a clip down from a step, mostly at another speed; returns the step after it."""
        clip = self._sound[cut.first : cut.first + cut.size].float() / 32768
        active = self._sounds[cut.first // STEP : (cut.first + cut.size) // STEP]
        if self._rng.random() < 0.6:
            steps = max(2, int(active.numel() / self._rng.uniform(0.84, 1.2)))
            clip = F.interpolate(clip[None, None], steps * STEP, mode="linear")[0, 0]
            active = F.interpolate(active.float()[None, None], steps, mode="nearest")[0, 0] > 0.5
        first, stop = max(0, -step), min(active.numel(), self._steps - step)
        if stop > first:
            gain = 10 ** (self._rng.uniform(*spread_db) / 20)
            said[(step + first) * STEP : (step + stop) * STEP] += clip[first * STEP : stop * STEP] * gain
            sounds[step + first : step + stop] |= active[first:stop]
        return step + int(active.numel())

    def _pause(self) -> float:
        kind = self._rng.random()
        return float(self._rng.uniform(*((0.03, 0.5) if kind < 0.45 else (0.5, 2.5) if kind < 0.85 else (2.5, 6.0))))

    # --- what else sounds -----------------------------------------------------------------------------------------

    def _backgrounds(self, count: int) -> Tensor:
        rng = self._rng
        kinds = rng.choice(["music", "crowd", "noise", "sound", "none"], count, p=[0.42, 0.17, 0.17, 0.08, 0.16])
        beds = torch.zeros(count, self._size, device=self._device)
        crowds, noises = (np.flatnonzero(kinds == kind).tolist() for kind in ("crowd", "noise"))
        if crowds:
            heard = torch.stack([self._crowd() for _ in crowds])
            beds[crowds] = self._filtered(heard, self._room(len(crowds), 0.8, (-6.0, 12.0)))
        if noises:
            beds[noises] = self._noise(len(noises))
        for row, kind in enumerate(kinds.tolist()):
            bed = beds[row]
            if self._music and (kind == "music" or rng.random() < 0.08):
                level = 0.0 if kind == "music" else 0.08 * 10 ** (rng.uniform(-12, 3) / 20)
                bed *= level / (_rms(bed) + 1e-6)
                self._add(bed, self._music[int(rng.integers(len(self._music)))], 1.0)
            if self._other and (kind == "sound" or rng.random() < 0.12):
                step = round(rng.uniform(0, 2.5) * RATE / STEP)
                for _ in range(12):
                    cut = self._other[int(rng.integers(len(self._other)))]
                    self._add(bed[step * STEP :], cut, 10 ** (rng.uniform(-18, 6) / 20), start=0)
                    step += cut.size // STEP + round(rng.uniform(0, 2.5) * RATE / STEP)
                    if step >= self._steps:
                        break
            if self._singing and rng.random() < 0.14:
                level = float(_rms(bed)) if kind != "none" else _SPOKEN
                cut = self._singing[int(rng.integers(len(self._singing)))]
                self._add(bed, cut, level / _SPOKEN * 10 ** (rng.uniform(-4, 14) / 20))
        return beds

    def _add(self, to: Tensor, cut: _Cut, gain: float, start: int | None = None) -> None:
        """Add a clip, or as much of it as there is room for, from anywhere or from `start`."""
        if start is None:
            start = int(self._rng.integers(0, max(1, cut.size - to.numel())))
        size = min(to.numel(), cut.size - start)
        to[:size] += self._sound[cut.first + start : cut.first + start + size].float() * (gain / 32768)

    def _crowd(self) -> Tensor:
        """Many people at once."""
        people = int(self._rng.integers(8, 32))
        firsts = [int(self._rng.integers(a, b - self._size)) for a, b in self._rng.choice(self._spans, people)]
        where = torch.tensor(firsts, device=self._device)[:, None] + torch.arange(self._size, device=self._device)
        gains = torch.from_numpy(self._rng.uniform(0.3, 1.5, (people, 1)).astype(np.float32)).to(self._device)
        return (self._sound[where % self._sound.numel()].float() * gains).sum(dim=0) / 32768

    def _noise(self, count: int) -> Tensor:
        """Coloured noise, and up to three things that pass, each in a band of its own."""
        slope = self._uniform(count, -0.2, 2.2)
        noise = self._inverse(self._white(count) * self._hertz.clamp(min=30) ** (-slope / 2))
        noise = noise / noise.std(dim=1, keepdim=True)
        time = torch.arange(self._size, device=self._device) / RATE
        passing = torch.zeros_like(noise)
        for _ in range(3):
            low = self._uniform(count, 100, 600)
            high = low + self._uniform(count, 300, 3800)
            band = torch.sigmoid((self._hertz - low) / 40) * torch.sigmoid((high - self._hertz) / 150)
            thing = self._inverse(self._white(count) * band)
            near, width = self._uniform(count, 0, self._size / RATE), torch.exp(self._uniform(count, -2.2, 1.0))
            thing = thing / thing.std(dim=1, keepdim=True) * self._uniform(count, 0, 2.5)
            passing += thing / (1 + ((time - near) / width) ** 2) * self._sometimes(count, 0.6)
        return noise + passing * self._sometimes(count, 0.6)

    # --- the mixture ----------------------------------------------------------------------------------------------

    def batch(self, said: Tensor, sounds: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Inputs (n, n_hops, BANDS), what is asked (n, n_hops), and dB of the voice over its background (n, 1)."""
        count = len(said)
        if self._rng.random() < 0.5:
            shift = int(self._rng.integers(0, self._steps))
            said, sounds = torch.roll(said, shift * STEP, 1), torch.roll(sounds, shift, 1)
        voice = self._filtered(said, self._tone(count, 0.4) * self._room(count, 0.5, (-14.0, 4.0)))
        power = (voice.view(count, self._steps, STEP).square().mean(dim=2) * sounds).sum(dim=1, keepdim=True)
        spoken = (power / sounds.sum(dim=1, keepdim=True).clamp(min=1)).sqrt()
        voice = voice * torch.where(
            sounds.any(dim=1, keepdim=True), _SPOKEN / (spoken + 1e-6), torch.zeros_like(spoken)
        )
        bed = self._filtered(self._backgrounds(count), self._tone(count, 0.1))
        over = self._uniform(count, -12, 20)
        level = _rms(bed)
        bed = torch.where(
            level > 1e-5, bed / level.clamp(min=1e-5) * _SPOKEN * 10 ** (-over / 20), torch.zeros_like(bed)
        )
        floor = self._inverse(self._white(count) * self._hertz.clamp(min=30) ** -self._uniform(count, 0, 0.7))
        floor = floor / _rms(floor) * _SPOKEN * 10 ** (-self._uniform(count, 32, 77) / 20) * self._sometimes(count, 0.8)
        heard = voice + bed + floor
        heard = heard / (_rms(heard) + 1e-7) * 0.18 * 10 ** (-self._uniform(count, 0, 36) / 20)
        heard = torch.tanh(heard) if self._rng.random() < 0.1 else heard.clamp(-1, 1)
        return self._inputs(torch.round(heard * 32768) / 32768), self._asked(sounds), over

    def _inputs(self, heard: Tensor) -> Tensor:
        padded = F.pad(heard, ((WINDOW - HOP) // 2, (WINDOW - HOP) // 2))
        power = torch.fft.rfft(padded.unfold(1, WINDOW, HOP) * self._window).abs().square()
        return 0.25 * torch.log(power @ self._mel + FLOOR)

    @staticmethod
    def _asked(sounds: Tensor) -> Tensor:
        """Where somebody speaks, by hops: steps that sound, with short pauses closed."""
        marks = sounds.float()[:, None]
        half = _CLOSED_STEPS // 2
        closed = -F.max_pool1d(-F.max_pool1d(marks, _CLOSED_STEPS, 1, half), _CLOSED_STEPS, 1, half)
        return torch.maximum(closed, marks)[:, 0].view(len(sounds), -1, HOP // STEP).mean(dim=2)

    def _tone(self, count: int, telephone: float) -> Tensor:
        """The response of a tone control and of a band limit, the latter of a telephone now and then."""
        knots = 9
        levels = torch.randn(count, knots, device=self._device) * self._rng.uniform(0, 4)
        levels = levels - levels.mean(dim=1, keepdim=True)
        at = (torch.log2(self._hertz.clamp(min=40) / 40) / math.log2(200) * (knots - 1)).clamp(0, knots - 1.001)
        knot, part = at.long(), at - at.long()
        decibels = levels[:, knot] * (1 - part) + levels[:, knot + 1] * part
        narrow = self._sometimes(count, telephone) > 0
        low = torch.where(narrow, self._uniform(count, 3000, 4200), self._uniform(count, 5500, 9500))
        thin = self._sometimes(count, 0.3) > 0
        high = torch.where(thin, self._uniform(count, 80, 300), torch.full((count, 1), 20.0, device=self._device))
        limits = torch.sigmoid((low - self._hertz) / 60) * torch.sigmoid((self._hertz - high) / 15)
        return 10 ** (decibels / 20) * limits

    def _room(self, count: int, share: float, tail_db: tuple[float, float]) -> Tensor:
        """The response of rooms of 0.15 to 1.6 s: the direct sound and a tail of noise; of most alone the former."""
        size = 24_000
        ring = torch.exp(self._uniform(count, math.log(0.15), math.log(1.6)))
        tail = torch.randn(count, size, device=self._device)
        tail = tail * 10 ** (-3 * torch.arange(size, device=self._device) / RATE / ring)
        tail[:, : int(self._rng.uniform(1, 400))] = 0
        tail = tail / tail.square().sum(dim=1, keepdim=True).sqrt() * 10 ** (self._uniform(count, *tail_db) / 20)
        tail = tail * self._sometimes(count, share)
        tail[:, 0] = 1
        return torch.fft.rfft(tail, self._fft)

    def _filtered(self, sound: Tensor, response: Tensor) -> Tensor:
        return self._inverse(torch.fft.rfft(sound, self._fft) * response)

    def _inverse(self, spectrum: Tensor) -> Tensor:
        return torch.fft.irfft(spectrum, self._fft)[:, : self._size]

    def _white(self, count: int) -> Tensor:
        return torch.view_as_complex(torch.randn(count, self._fft // 2 + 1, 2, device=self._device))

    def _uniform(self, count: int, low: float, high: float) -> Tensor:
        return torch.rand(count, 1, device=self._device) * (high - low) + low

    def _sometimes(self, count: int, share: float) -> Tensor:
        return (torch.rand(count, 1, device=self._device) < share).float()


def _rms(sound: Tensor) -> Tensor:
    return sound.square().mean(dim=-1, keepdim=True).sqrt()


def examples(mixer: Mixer, batch: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Batches without end; what is said serves several times."""
    while True:
        said, sounds = mixer.talk(batch)
        for _ in range(_AGAIN):
            yield mixer.batch(said, sounds)


def loss_of(odds: Tensor, asked: Tensor, over: Tensor) -> Tensor:
    """Cross-entropy; what is hardly audible counts less."""
    weight = torch.where(over < -8, 0.6, 1.0)
    return (F.binary_cross_entropy_with_logits(odds, asked, reduction="none") * weight).mean()


def train(
    bank: Bank, device: str, steps: int, batch: int = BATCH, seconds: int = SECONDS, seed: int = 1
) -> tuple[VoiceNetwork, float]:
    """Train a network.

    Parameters
    ----------
    bank : what it learns from, and what it is watched on
    device : of torch, "cpu" or "cuda"
    steps, batch, seconds : length of the training, examples a step, length of an example
    seed : of weights and examples

    Returns
    -------
    the running mean of the weights, and the F1 of hops of what it was watched on
    """
    mixer = Mixer(bank, device, watched=False, seed=seed, seconds=seconds)
    network = VoiceNetwork().to(device)
    mean = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    optimizer = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, weight_decay=1e-2, betas=(0.9, 0.98))
    for step, (inputs, asked, over) in zip(range(steps), examples(mixer, batch), strict=False):
        rate = min(1.0, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * step / steps) + 0.005)
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * rate
        with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
            odds = network(inputs)
        loss = loss_of(odds.float(), asked, over)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        keeps = min(0.999, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, tensor in network.state_dict().items():
                mean[name].mul_(keeps).add_(tensor, alpha=1 - keeps)
        if step % 500 == 0:
            print(f"[voice network] step {step}: loss {float(loss.detach()):.4f}", flush=True)
    network.load_state_dict(mean)
    return network.eval(), watched_f1(network, Mixer(bank, device, watched=True, seed=seed, seconds=seconds), batch)


def watched_f1(network: VoiceNetwork, mixer: Mixer, batch: int) -> float:
    """F1 of hops with log-odds over 0."""
    hits = wrong = 0
    with torch.no_grad():
        inputs, asked, _ = mixer.batch(*mixer.talk(batch))
        found, true = network(inputs) > 0, asked > 0.5
        hits, wrong = int((found & true).sum()), int((found != true).sum())
    return 2 * hits / max(1, 2 * hits + wrong)


def main() -> None:
    """Fetch, train, export."""
    options = parser(__doc__)
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options.add_argument("--steps", type=int, default=13_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--quick", action="store_true", help="a few packages and steps; keeps the weights in SET")
    given = options.parse_args()
    folder = given.set / "voices"
    folder.mkdir(parents=True, exist_ok=True)
    packages = SMALL_PACKAGES if given.quick else PACKAGES
    fetch_sources(folder, packages)
    bank = read_bank(folder, packages, sung_lines=4 if given.quick else 200)
    steps, batch = (QUICK_STEPS, QUICK_BATCH) if given.quick else (given.steps, BATCH)
    network, f1 = train(bank, given.device, steps, batch, seed=given.seed)
    path = given.set / WEIGHTS_FILE if given.quick else model_path(WEIGHTS_FILE)
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **export(network))
    figure = f"- Hops of mixtures it was watched on, after {steps:,} steps: F1 {f1:.3f}"
    if not given.quick:
        write_figures(WEIGHTS_FILE, [figure])
    print(f"[voice network] {path}\n{figure}")


if __name__ == "__main__":
    main()
