"""topogemm: parallel matrix multiplication as schedules, which are proved, stepped on real matrices, predicted, planned and drawn.

>>> import topogemm
>>> cannon = topogemm.Schedule.load("cannon", grid="4x4")
>>> bool(cannon.verify()), cannon.predict(4096).time_s
"""
from topogemm._calls import Error, text_of
from topogemm._native import lib
from topogemm.planner import plan
from topogemm.results import Picture, Place, Plan, Prediction, Proof, Step, StepTime, table
from topogemm.schedule import Run, Schedule, machines, schedules

__version__ = text_of(lib.tg_version())
__all__ = ["Error", "Picture", "Place", "Plan", "Prediction", "Proof", "Run", "Schedule", "Step", "StepTime", "machines", "plan", "schedules", "table"]
