"""Durable execution: steps that are done once, and a run that goes on where it was. Commands that only read never
import this folder."""
