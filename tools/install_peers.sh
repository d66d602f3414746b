#!/bin/sh
# Installs, through apt, the programs that some tests talk to. Run again it does nothing.
# Without apt or root it says so and changes nothing: those tests then skip with their reason.
set -eu
PACKAGES="chromium linuxcnc-uspace ros-core python3-rospy python3-actionlib ros-robot-state-publisher joint-state-publisher rviz python3-rosbag python3-tf2-ros python3-sensor-msgs rt-tests xvfb fonts-wqy-zenhei"

if ! command -v apt-get >/dev/null 2>&1; then
    echo "make peers: this system has no apt; install by its own means: $PACKAGES"
    echo "make peers: tests that need them will be skipped, saying so"
    exit 0
fi
missing=""
for package in $PACKAGES; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "make peers: all there"
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "make peers: not root; run: sudo apt-get install$missing"
    echo "make peers: tests that need them will be skipped, saying so"
    exit 0
fi
echo "make peers: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q || { echo "make peers: the package lists cannot be fetched; check the network, then run it again"; exit 1; }
known=""
for package in $missing; do
    if apt-cache show "$package" >/dev/null 2>&1; then
        known="$known $package"
    else
        echo "make peers: this release has no package '$package'; its tests will be skipped"
    fi
done
# shellcheck disable=SC2086
[ -z "$known" ] || apt-get install -q -y --no-install-recommends $known
