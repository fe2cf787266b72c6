"""The interface that SkyRL's generators have."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

GeneratorInput = dict
GeneratorOutput = dict


@dataclass
class TrajectoryID:
    instance_id: str
    repetition_id: int

    def to_string(self) -> str:
        return f"{self.instance_id}_{self.repetition_id}"


@dataclass
class BatchMetadata:
    global_step: int
    training_phase: str


class GeneratorInterface(ABC):
    @abstractmethod
    async def generate(self, input_batch): ...
