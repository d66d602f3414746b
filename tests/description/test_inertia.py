from hypothesis import given
from hypothesis import strategies as st

from armillary.description.inertia import (
    Moments,
    breaks_triangle_rule,
    is_positive_definite,
    nearest_sound_moments,
    principal_moments,
)

moment = st.floats(-10, 10).filter(lambda v: abs(v) > 1e-6)
product = st.floats(-5, 5)


@given(a=moment, b=product, c=product, d=moment, e=product, f=moment)
def test_the_nearest_sound_inertia_is_sound(a: float, b: float, c: float, d: float, e: float, f: float) -> None:
    sound = nearest_sound_moments((a, b, c, d, e, f))
    assert is_positive_definite(sound)
    assert not breaks_triangle_rule(sound)


@given(a=st.floats(0.1, 10), b=st.floats(0.1, 10), c=st.floats(0.1, 10))
def test_a_real_body_is_left_as_it_is(a: float, b: float, c: float) -> None:
    # second moments of the mass along three axes: any positive ones are a body's
    moments: Moments = (b + c, 0.0, 0.0, a + c, 0.0, a + b)
    assert is_positive_definite(moments) and not breaks_triangle_rule(moments)
    assert max(abs(x - y) for x, y in zip(nearest_sound_moments(moments), moments, strict=True)) < 0.011 * max(a, b, c)


def test_the_principal_moments_are_the_eigenvalues() -> None:
    assert principal_moments((3.0, 0.0, 0.0, 1.0, 0.0, 2.0)) == (1.0, 2.0, 3.0)
    low, _, high = principal_moments((2.0, 1.0, 0.0, 2.0, 0.0, 2.0))
    assert abs(low - 1) < 1e-12 and abs(high - 3) < 1e-12
