// The tutorial's rope in plain C++: the loop of cable_sim/kernels/cables/particles/tutorial.py for one rope, and the form in which
// its text has it, with forces gathered first. Position and velocity are n times three numbers; the first mass is held.

#include <cmath>

#include "vec.hpp"

namespace {

Vec operator/(Vec a, double s) { return {a.x / s, a.y / s, a.z / s}; }

struct Constants {
    double mass, stiffness, length, friction, gravity, air, repulsion, slide, absorption, height;
};

Vec spring(const Constants& c, Vec reach, Vec drift) {
    const double r = std::sqrt(reach.x * reach.x + reach.y * reach.y + reach.z * reach.z);
    Vec force{0.0, 0.0, 0.0};
    if (r != 0.0) {
        const double stretch = r - c.length;
        const Vec unit = reach / r;
        force = {-unit.x * stretch * c.stiffness, -unit.y * stretch * c.stiffness, -unit.z * stretch * c.stiffness};
    }
    return force - c.friction * drift;
}

Vec surroundings(const Constants& c, Vec position, Vec velocity, Vec force) {
    force.z -= c.mass * c.gravity;
    force = force - c.air * velocity;
    if (position.z < c.height) {
        force.x -= c.slide * velocity.x;
        force.y -= c.slide * velocity.y;
        if (velocity.z < 0.0) force.z -= c.absorption * velocity.z;
        force.z += c.repulsion * (c.height - position.z);
    }
    return force;
}

}  // namespace

extern "C" {

void one_pass(const Constants* constants, int n, int steps, double h, Vec* position, Vec* velocity) {
    const Constants c = *constants;
    for (int s = 0; s < steps; ++s) {
        Vec x = position[0], v = velocity[0], before{0.0, 0.0, 0.0};
        for (int i = 0; i < n; ++i) {
            Vec force = Vec{0.0, 0.0, 0.0} - before, next_x = x, next_v = v;
            if (i + 1 < n) {
                next_x = position[i + 1];
                next_v = velocity[i + 1];
                before = spring(c, x - next_x, v - next_v);
                force = force + before;
            }
            if (i > 0) {
                force = surroundings(c, x, v, force);
                v = v + h * (force / c.mass);
                x = x + h * v;
                position[i] = x;
                velocity[i] = v;
            }
            x = next_x;
            v = next_v;
        }
    }
}

void as_printed(const Constants* constants, int n, int steps, double h, Vec* position, Vec* velocity, Vec* force) {
    const Constants c = *constants;
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < n; ++i) force[i] = {0.0, 0.0, 0.0};
        for (int i = 0; i + 1 < n; ++i) {
            const Vec pull = spring(c, position[i] - position[i + 1], velocity[i] - velocity[i + 1]);
            force[i] = force[i] + pull;
            force[i + 1] = force[i + 1] - pull;
        }
        for (int i = 1; i < n; ++i) {
            velocity[i] = velocity[i] + h * (surroundings(c, position[i], velocity[i], force[i]) / c.mass);
            position[i] = position[i] + h * velocity[i];
        }
    }
}
}
