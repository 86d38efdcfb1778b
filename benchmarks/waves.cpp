// The layer of waves of cable_sim/kernels/cables/elevation/wave.py in plain C++: the explicit step of both components of every
// span, whose load changes evenly from end to end, and the arc length of each. Waves and rates are 2 x spans x
// (intervals + 1) numbers; piece is scratch of as many as there are intervals.

#include <cmath>

namespace {

void explicit_step(double h, double stiffness, double damping, const double* load, int intervals,
                   double* __restrict wave, double* __restrict rate) {
    const double keep = (1.0 - 0.5 * h * damping) / (1.0 + 0.5 * h * damping), gain = h / (1.0 + 0.5 * h * damping);
    const double slope = (load[1] - load[0]) / intervals;
    for (int m = 1; m < intervals; ++m) {
        const double bend = wave[m + 1] - 2.0 * wave[m] + wave[m - 1];
        rate[m] = keep * rate[m] + gain * (stiffness * bend + load[0] + slope * m);
    }
    for (int m = 1; m < intervals; ++m) wave[m] += h * rate[m];
}

// The pieces first, then four sums, so that no addition waits for the last one: as in the kernel.
double arc_length(double length, int intervals, const double* __restrict y, const double* __restrict z,
                  double* __restrict piece) {
    const double square = (length / intervals) * (length / intervals);
    for (int m = 0; m < intervals; ++m) {
        const double dy = y[m + 1] - y[m], dz = z[m + 1] - z[m];
        piece[m] = std::sqrt(square + dy * dy + dz * dz);
    }
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    const int whole = intervals - intervals % 4;
    for (int m = 0; m < whole; m += 4) {
        for (int i = 0; i < 4; ++i) sum[i] += piece[m + i];
    }
    for (int m = whole; m < intervals; ++m) sum[0] += piece[m];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

extern "C" void layer(int steps, int spans, int intervals, double h, double length, double stiffness, double damping,
                      const double* loads, double* wave, double* rate, double* piece, double* arc) {
    const int points = intervals + 1;
    for (int s = 0; s < steps; ++s) {
        for (int k = 0; k < spans; ++k) {
            double *y = wave + k * points, *z = wave + (spans + k) * points;
            explicit_step(h, stiffness, damping, loads, intervals, y, rate + k * points);
            explicit_step(h, stiffness, damping, loads + 2, intervals, z, rate + (spans + k) * points);
            arc[k] = arc_length(length, intervals, y, z, piece);
        }
    }
}
