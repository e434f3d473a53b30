import os

from agent_herald_receiver import AgentData, Delivery, Receiver
from agent_herald_receiver.starlette import handles_deliveries
from fastapi import FastAPI

app = FastAPI()
receiver = Receiver(os.environ["WEBHOOK_SECRET"])


@app.post("/fastapi")
@handles_deliveries(receiver)
async def hook(delivery: Delivery) -> None:
    if isinstance(delivery.data, AgentData):
        print(f"verified {delivery.event}: {delivery.data.agent_name}", flush=True)
