// The chain of cable_sim/kernels/cables/particles/chain.py in plain C++: rigid or elastic segments, the first mass held, the last
// one free, no air and no ground. One sweep forth (rows and elimination), one back (impulses), one to move the masses.
// Position and velocity are n times three numbers; direction, demand, share and impulse are scratch of n entries.

#include <cmath>

#include "vec.hpp"

namespace {

double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Chain {
    double h, gravity, compliance, damping_time;
};

void step(const Chain& c, int n, const double* inverse_mass, const double* rest, Vec* position, Vec* velocity,
          Vec* direction, double* demand, double* share, double* impulse) {
    const double rigid = c.compliance == 0.0 && c.damping_time < 2.0 * c.h ? 2.0 * c.h : c.damping_time;
    const double weight = 1.0 / (1.0 + 4.0 * rigid / c.h);
    const Vec fall{0.0, 0.0, -c.gravity * c.h};
    double pivot = 0.0, before_demand = 0.0;
    Vec before{0.0, 0.0, 0.0}, free{0.0, 0.0, 0.0};  // the first mass is held
    for (int k = 0; k + 1 < n; ++k) {
        const Vec reach = position[k + 1] - position[k];
        const double length = std::sqrt(dot(reach, reach));
        const Vec along = (1.0 / length) * reach;
        const Vec ahead = velocity[k + 1] + fall;
        const double softness = 4.0 * c.compliance * rest[k] * weight / (c.h * c.h);
        const double rate = dot(along, velocity[k] - velocity[k + 1]);
        const double rhs = weight * (rate - 4.0 * (rest[k] - length) / c.h);
        const double off = -dot(before, along) * inverse_mass[k];
        share[k] = off * pivot;
        before_demand = rhs - dot(along, free - ahead) - share[k] * before_demand;
        pivot = 1.0 / (softness + inverse_mass[k] + inverse_mass[k + 1] - share[k] * off);
        demand[k] = before_demand * pivot;
        direction[k] = along;
        before = along;
        free = ahead;
    }
    double after = 0.0;
    for (int k = n - 2; k >= 0; --k) {
        after = demand[k] - (k + 2 < n ? share[k + 1] * after : 0.0);
        impulse[k] = after;
    }
    for (int i = 1; i < n; ++i) {
        const Vec pull = i + 1 < n ? impulse[i] * direction[i] - impulse[i - 1] * direction[i - 1]
                                   : -impulse[i - 1] * direction[i - 1];
        velocity[i] = velocity[i] + fall + inverse_mass[i] * pull;
        position[i] = position[i] + c.h * velocity[i];
    }
}

}  // namespace

extern "C" void chain(const Chain* constants, int n, int steps, const double* inverse_mass, const double* rest,
                      Vec* position, Vec* velocity, Vec* direction, double* demand, double* share, double* impulse) {
    const Chain c = *constants;
    for (int s = 0; s < steps; ++s) {
        step(c, n, inverse_mass, rest, position, velocity, direction, demand, share, impulse);
    }
}
