"""All comparisons, in the order of the page."""

from benchmarks.peers.beam import BEAM
from benchmarks.peers.capstan import CAPSTAN
from benchmarks.peers.chain import CHAINS
from benchmarks.peers.contact import CONTACTS
from benchmarks.peers.contest import Comparison
from benchmarks.peers.crane import CRANE
from benchmarks.peers.heavy_rope import HEAVY_ROPE
from benchmarks.peers.period import PERIOD_ACCURACY
from benchmarks.peers.tutorial import NEHE
from benchmarks.peers.waves import WAVES

COMPARISONS: dict[str, Comparison] = {
    one.name: one
    for one in (CRANE, HEAVY_ROPE, *CHAINS, WAVES, BEAM, NEHE, CAPSTAN, PERIOD_ACCURACY, *CONTACTS)
}
