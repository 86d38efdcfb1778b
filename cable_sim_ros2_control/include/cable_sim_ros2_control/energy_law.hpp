// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Anti-sway control by energy: the law of `{kind: energy}` of cable_sim, for one axis in its plane.
// Needs no ROS. The derivation stands in cable_sim/control/controllers/energy.py; plan, observer
// and reduced crane are those of cable_sim/control/methods, by the same arithmetic.

#ifndef CABLE_SIM_ROS2_CONTROL__ENERGY_LAW_HPP_
#define CABLE_SIM_ROS2_CONTROL__ENERGY_LAW_HPP_

#include <algorithm>
#include <cmath>

namespace cable_sim_ros2_control
{

/// What the law knows of a trolley, in SI units.
struct EnergySettings
{
  double period = 0.01;            ///< time between two commands [s]
  double max_speed = 0.0;          ///< of the trolley [m/s]
  double max_acceleration = 0.0;   ///< [m/s^2]
  double lag = 0.0;                ///< time constant of the drive's speed loop [s]
  double damping = 0.5;            ///< ratio of the closed loop [-]
  double settling = 0.5;           ///< time in which wrong estimates die out, over sqrt(l / g) [-]
};

/// State of the crane that a command answers.
struct Seen
{
  double time = 0.0;          ///< [s]
  double position = 0.0;      ///< of the trolley [m]
  double velocity = 0.0;      ///< [m/s]
  double length = 0.0;        ///< of the pendulum [m]
  double length_rate = 0.0;   ///< [m/s]
  double sway = 0.0;          ///< angle, positive outward along the trolley's way [rad]
};

/// Trapezoidal move from rest to rest.
struct Ramps
{
  struct Point
  {
    double way = 0.0;
    double speed = 0.0;
    double acceleration = 0.0;
  };

  double distance = 0.0;
  double speed = 1.0;
  double acceleration = 1.0;
  double start = 0.0;

  double highest() const {return std::min(speed, std::sqrt(acceleration * std::abs(distance)));}

  double end() const
  {
    const double top = highest();
    return distance != 0.0 ? start + (std::abs(distance) / top + top / acceleration) : start;
  }

  Point at(double time) const
  {
    const double passed = time - start;
    const double left = end() - time;
    if (passed <= 0.0) {
      return {};
    }
    if (left <= 0.0) {
      return {distance, 0.0, 0.0};
    }
    const double sense = std::copysign(1.0, distance);
    const double ramp = highest() / acceleration;
    if (passed < ramp) {
      return {sense * 0.5 * acceleration * (passed * passed), sense * acceleration * passed,
        sense * acceleration};
    }
    if (left < ramp) {
      return {distance - sense * 0.5 * acceleration * (left * left), sense * acceleration * left,
        -sense * acceleration};
    }
    return {sense * highest() * (passed - 0.5 * ramp), sense * highest(), 0.0};
  }
};

/// The law; `command` is called once a period, and allocates no memory.
class EnergyLaw
{
public:
  /// Begin at rest, at a position of the trolley [m].
  EnergyLaw(const EnergySettings & settings, double position)
  : set_(settings), origin_(position), meant_(position)
  {
    const double squared = 1.0 / (1.0 + 4.0 * set_.damping * set_.damping);
    place_gain_ = squared * squared;
    rate_gain_ = 4.0 * set_.damping * std::pow(squared, 1.5);
    coupling_ = 4.0 * set_.damping * set_.damping;
    kept_ = set_.lag > 0.0 ? std::exp(-set_.period / set_.lag) : 0.0;
  }

  /// Go to a position [m] from a time on [s], once the move before has ended.
  void move_to(double target, double start)
  {
    origin_ += plan_.distance;
    plan_ = Ramps{target - origin_, set_.max_speed, set_.max_acceleration, start};
  }

  /// Whether the plan is at rest at a time [s].
  bool has_arrived(double time) const {return time >= plan_.end();}

  /// Return the speed to command until the next call [m/s].
  double command(const Seen & seen)
  {
    const double period = set_.period;
    const double change = (seen.velocity - speed_) / period;
    speed_ = seen.velocity;
    const double beyond = speed_ - meant_speed_;
    const double frequency = std::sqrt(kGravity / seen.length);
    const Sway sway = estimate(seen, change, frequency);
    const double way = seen.position - meant_;
    const double swing = across(sway, seen.length) - across(meant_sway_, seen.length);
    const double rate = across_rate(sway, seen.length) - across_rate(meant_sway_, seen.length);
    const double wanted = correct(way, beyond, swing, rate, frequency);
    const double planned_change = go_on(seen.time);
    const double speed = order(wanted, planned_change, beyond);
    step_meant(seen, frequency);
    return speed;
  }

private:
  static constexpr double kGravity = 9.81;
  static constexpr double kPull = 0.4;      // shares of the acceleration, for place and rate
  static constexpr double kBrake = 0.6;
  static constexpr double kSlip = 0.5;      // largest lead of a command, over the acceleration [s]
  static constexpr double kResting = 15.0;  // time constant of the place of rest, over sqrt(l / g)
  static constexpr double kRounding = 1e-9;

  struct Sway
  {
    double angle = 0.0;
    double rate = 0.0;
  };

  static double across(const Sway & sway, double length) {return length * std::sin(sway.angle);}

  static double across_rate(const Sway & sway, double length)
  {
    return length * (std::cos(sway.angle) * sway.rate);
  }

  /// The reduced crane a period later: a point mass on a rope below an accelerated trolley.
  Sway step(Sway sway, double push, const Seen & seen) const
  {
    const double half = 0.5 * set_.period;
    const double angle = sway.angle + half * sway.rate;
    const double turn = -2.0 * sway.rate * seen.length_rate - push * std::cos(angle) -
      kGravity * std::sin(angle);
    const double rate = sway.rate + set_.period * (turn / seen.length);
    return {angle + half * rate, rate};
  }

  /// The sway now: the reduced crane on the trolley's way, and what it lacks beside what is seen.
  Sway estimate(const Seen & seen, double change, double frequency)
  {
    model_ = step(model_, change, seen);
    const double cosine = std::cos(frequency * set_.period);
    const double sine = std::sin(frequency * set_.period);
    const double swing = lacks_ - rest_;
    lacks_ = rest_ + cosine * swing + sine / frequency * lacks_rate_;
    lacks_rate_ = cosine * lacks_rate_ - frequency * sine * swing;
    const double off = seen.sway - model_.angle - lacks_;
    const double gain = 1.0 - std::exp(-2.0 * frequency * set_.period / set_.settling);
    const double slow = (0.5 * set_.settling + 1.0 / set_.settling) / kResting;
    lacks_ += gain * off;
    lacks_rate_ += gain * gain / (2.0 * set_.period) * off;
    rest_ += gain * slow * off;
    return {model_.angle + (lacks_ - rest_), model_.rate + lacks_rate_};
  }

  /// The acceleration that takes energy from what is off.
  double correct(double way, double speed, double swing, double swing_rate, double frequency) const
  {
    const double most = set_.max_acceleration;
    const double place = way - coupling_ * swing;
    const double rate = speed - coupling_ * swing_rate;
    const double pull = frequency * frequency * place_gain_ * place;
    const double brake = frequency * rate_gain_ * rate;
    return -std::clamp(pull, -kPull * most, kPull * most) -
           std::clamp(brake, -kBrake * most, kBrake * most);
  }

  /// Advance the plan and what the axis is meant to make of it; return the planned acceleration.
  double go_on(double time)
  {
    const auto plan = plan_.at(time + 0.5 * set_.period);
    const double before = meant_speed_;
    planned_speed_ = plan.speed;
    meant_speed_ = plan.speed + (before - plan.speed) * kept_;
    meant_change_ = (meant_speed_ - before) / set_.period;
    meant_ = origin_ + plan.way + 0.5 * set_.period * plan.speed - set_.lag * meant_speed_;
    return plan.acceleration;
  }

  /// The speed that gives plan and feedback behind the lag of the drive, within its limits.
  double order(double wanted, double planned_change, double beyond)
  {
    const double most = set_.max_acceleration;
    const double fastest = set_.max_speed;
    const double change = std::clamp(planned_change + wanted, -most, most) - planned_change;
    const double added = std::clamp(
      added_ + set_.period * change, beyond - kSlip * most, beyond + kSlip * most);
    const double speed = std::clamp(planned_speed_ + added, -fastest, fastest);
    added_ = speed - planned_speed_;
    return std::clamp(speed + set_.lag * change, -fastest, fastest);
  }

  /// Advance the sway that is meant; it dies out while the axis is not to move.
  void step_meant(const Seen & seen, double frequency)
  {
    meant_sway_ = step(meant_sway_, meant_change_, seen);
    if (std::abs(planned_speed_) <= kRounding * set_.max_speed) {
      meant_sway_.rate *= std::exp(-2.0 * frequency * set_.period);
    }
  }

  EnergySettings set_;
  Ramps plan_{};
  double origin_;
  double place_gain_ = 0.0;
  double rate_gain_ = 0.0;
  double coupling_ = 0.0;
  double kept_ = 0.0;
  double speed_ = 0.0;
  double meant_;
  double meant_speed_ = 0.0;
  double meant_change_ = 0.0;
  double planned_speed_ = 0.0;
  double added_ = 0.0;
  Sway model_{};
  Sway meant_sway_{};
  double lacks_ = 0.0;
  double lacks_rate_ = 0.0;
  double rest_ = 0.0;
};

}  // namespace cable_sim_ros2_control

#endif  // CABLE_SIM_ROS2_CONTROL__ENERGY_LAW_HPP_
