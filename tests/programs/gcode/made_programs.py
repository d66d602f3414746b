"""Programs that try each code and how codes act on each other, made for comparing interpreters. Each is a name and a text."""

from itertools import product

__all__ = ["TOOL_TABLE", "programs"]

TOOL_TABLE = "T1 P1 Z0.5 D0.25\nT2 P2 X0.1 Z1.25 D0.5\n"

_SHOW = "(DEBUG,%.4f #5420 #5421 #5422 #5423 #5424 #5425 #5220 #<_feed> #<_rpm> #<_motion_mode> #<_plane> #<_coord_system>)\n"
_MODES = (
    "(DEBUG,%d #<_metric> #<_absolute> #<_inverse_time> #<_tool_offset> #<_retract_old_z> "
    "#<_ijk_absolute_mode> #<_spindle_on> #<_mist>"
    " #<_flood> #<_feed_override> #<_speed_override> #<_adaptive_feed> #<_feed_hold> #<_current_tool> #<_selected_tool>)\n"
)


def programs() -> dict[str, str]:
    """All of them."""
    found: dict[str, str] = {}
    for family in (
        _moves,
        _arcs,
        _cycles,
        _offsets,
        _tools,
        _modes,
        _switches,
        _expressions,
        _o_words,
        _plain_subroutines,
        _errors,
    ):
        for name, text in family().items():
            found[f"{family.__name__[1:]}-{name}"] = text
    return found


def _ended(body: str) -> str:
    return f"{body}\n{_SHOW}{_MODES}M2\n"


def _moves() -> dict[str, str]:
    found = {}
    for units, distance in product(("G20", "G21"), ("G90", "G91")):
        found[f"straight {units} {distance}"] = _ended(
            f"F100\nG0 X1 Y2 Z3 A4 B5 C6\n{units} {distance}\nG0 X1\nG1 Y2.5 Z-1 F50\nX.5 A10\nG0\nG1 X#5420 "
            f"Y[#5421+1]\nA-370 C720"
        )
    found["machine coordinates"] = _ended("G10 L2 P1 X5 Y6 R30\nG92 X1\nG53 G0 X1 Y2\nG53 G1 X3 F10\nX4\nG53 G0 Z1")
    found["inverse time"] = _ended("G93\nG1 X10 F2\nG1 Y10 Z5 A90 F3\nG2 X20 I5 F4\nG1 A180 F1\nG0 X0\nG94 F10\nG1 X5")
    found["inverse time in inches"] = _ended("G20 G93\nG1 X1 F2\nG3 X2 I.5 F4\nG94 F10\nG1 X5")
    for plus in ("X1 Y1", "X-2 Y3 Z4"):
        found[f"polar {plus}"] = _ended(
            f"G0 {plus}\nG0 @3\nG0 ^45\nG0 @2 ^120 Z1\nG1 F10 ^-30\nG91\nG0 @1\nG0 ^15\nG0 @1 ^10\nG90 X0"
        )
    found["polar in inches"] = _ended("G20\nG0 @2 ^30\nG1 F5 @3\nG92 X1\nG0 @1 ^60")
    found["dwell"] = _ended("G4 P0.5\nG4 P2 X1 G0\nG1 F10 X3 G4 P1")
    found["line numbers"] = _ended("N10 G0 X1\nN20 Y2\n n30g0z 1")
    found["odd writing"] = _ended("g 0 x 0 1 . 5 y+2.z-.5\nG00X+1\nG1F1 0 X2 (a)Y3(b)\n\tG0\tX 4;rest G0 X9")
    found["percent"] = "%\nG0 X1\n%\nG0 X2\nM2\n"
    found["percent and end"] = "%\nG0 X1\nM2\n%\n"
    return found


def _arcs() -> dict[str, str]:
    found = {}
    planes = {"G17": ("X", "Y", "Z", "I", "J"), "G18": ("Z", "X", "Y", "K", "I"), "G19": ("Y", "Z", "X", "J", "K")}
    for (plane, (a, b, n, i, j)), code, units in product(planes.items(), ("G2", "G3"), ("G20", "G21")):
        found[f"{plane} {code} {units}"] = _ended(
            f"F100 {plane} {units}\nG0 {a}1 {b}2 {n}3\n{code} {a}3 {b}2 {i}1 {j}0\n{a}1 {b}4 R2\n{a}3 R-3 {n}5 A10\n"
            f"{code} {i}2 P3 {n}1\n{i}-1 {j}1\nG91 {code} {a}1 {b}1 R1"
        )
        found[f"{plane} {code} {units} absolute centre"] = _ended(
            f"F100 {plane} {units} G90.1\nG0 {a}1 {b}2\n{code} {a}3 {b}2 {i}2 {j}2\n{code} {a}1 {i}2 {j}2 "
            f"{n}4\nG91.1\n{code} {a}3 {i}1"
        )
    found["turned"] = _ended("F10\nG10 L2 P1 R45 X1\nG0 X1 Y1\nG2 X3 I1\nG3 X1 R1\nG18\nG2 X2 K1 I0 Z0 R5")
    return found


def _cycles() -> dict[str, str]:
    found = {}
    words = {"G73": "Q.7", "G81": "", "G82": "P.5", "G83": "Q.7", "G85": "", "G86": "P.25", "G88": "P.25", "G89": "P1"}
    planes = {"G17": tuple("XYZ"), "G18": tuple("ZXY"), "G19": tuple("YZX")}
    for (code, word), (plane, (a, b, n)), retract in product(words.items(), planes.items(), ("G98", "G99")):
        found[f"{code} {plane} {retract}"] = _ended(
            f"F100 S500 M3 {plane} {retract}\nG0 {n}5\n{code} {a}1 {b}2 {n}-1 R2 {word}\n{a}3\n{b}4 {n}-2\n{a}5 R3\nG80\n"
            f"G91\n{code} {a}1 {b}1 {n}-2 R-1 {word} L3\nG80\nG90 G0 {a}0"
        )
    for code, word in words.items():
        found[f"{code} below R"] = _ended(f"F100 S500 M4 G98\nG0 Z0\n{code} X1 Z-1 R2 {word}\nX2\nG99 X3\nG80 G0 X0")
        found[f"{code} in inches after a move"] = _ended(
            f"G20 F10 S5 M3 G61\nG0 Z1\n{code} X1 Z-1 R.2 {word}\nG0 X9\n{code} X2 Z-1 R.1 {word}"
        )
    found["changed cycle"] = _ended("F10\nG0 Z3\nG81 X1 Z-1 R1\nG82 X2 P1\nG83 X3 Q.5 Z-2 R1\nG81 X4")
    return found


def _offsets() -> dict[str, str]:
    found = {}
    for code in ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3"):
        found[code] = _ended(f"G10 L2 P2 X1 Y2 Z3 A4\nG10 L2 P9 X-1 R20\nG0 X5 Y5\n{code}\nG0 X1 Y1\n{code}\nG54 X0")
    for way, units in product(("L2", "L20"), ("G20", "G21")):
        found[f"G10 {way} {units}"] = _ended(
            f"{units}\nG0 X3 Y4 Z5\nG10 {way} P1 X1 Y2\nG0 X0\nG10 {way} P0 Z7\nG10 {way} P3 X9\nG56 G0 X1\n"
            f"G91 G10 {way} P3 X1\nG90 G0 X2"
        )
        found[f"G10 {way} {units} with G92"] = _ended(f"{units}\nG0 X3 Y4\nG92 X1 Y1\nG10 {way} P1 X2 Y2\nG0 X0\nG92.1\nG0 X1")
    found["rotation"] = _ended("G10 L2 P1 R30\nG0 X1 Y2\nG10 L20 P1 X5 Y5\nG0 X0 Y0\nG92 X3\nG0 X1\nG10 L2 P1 R-45 X1\nG0 X2 Y2")
    found["G92 family"] = _ended("G0 X1 Y2 Z3\nG92 X0 Z1 A5\n(DEBUG,#5210 #5211 #5212 #5213)\nG0 X1\nG92.2\n"
        "G0 X2\n(DEBUG,#5210 #5211 #5213)\n"
                                 "G92.3\nG0 X3\nG92 Y9\nG0 Y1\nG92.1\n(DEBUG,#5210 #5211 #5213)\nG0 X4")  # fmt: skip
    found["G52"] = _ended("G0 X1\nG52 X2 Y3\nG0 X0\nG52 X1\nG0 Y1\nG92 X5\nG0 X5\nG52 X0 Y0\nG0 X1")
    found["G92 with a rotation"] = _ended("G10 L2 P1 R30 X1\nG0 X1 Y2\nG92 X0 Y0\nG0 X1\nG53 G0 X0 Y0\nG55\nG0 X1 Y1")
    found["G92.1 beside others"] = _ended(
        "G92 X3\nG10 L2 P1 X1 G92.1\nG92 X2\nG4 P1 G92.2\nG92.3 G0 X1\nG28.1 G92.1\nG53 G92.1 G0 X1"
    )
    found["rotation under G92"] = _ended("G92 X-2\nG10 L2 P1 X-5 R7\nG53 G0 X-2")
    found["home inside a cycle"] = _ended("F10 S5 M3\nG81 X4 Z-1 R2\nG43.1 Z-3\nG30\nG86 X1 Z-1 R1 P1")
    for code in ("G28", "G30"):
        found[code] = _ended(
            f"G0 X1 Y2 Z3 A4\n{code}.1\nG0 X9 Y9 Z9\n{code} Z20\nG0 X5\n{code}\nG91 {code} Z1\nG90 G10 L2 P1 X3\n{code} X1"
        )
        found[f"{code} in inches"] = _ended(f"G20\nG0 X1 Y2 Z3\n{code}.1\nG21\nG0 X9 Y9\n{code} X1 Y1\n(DEBUG,#5161 #5181)")
    return found


def _tools() -> dict[str, str]:
    found = {}
    for code in ("G43", "G43 H2", "G43.1 Z2 X1", "G43.2 H2", "G43.2 Z1"):
        found[code] = _ended(f"T1 M6\nG0 Z5\n{code}\nG0 Z1\nG53 G0 Z5\n(DEBUG,#5401 #5403 #5410)\nG49\nG0 Z1")
        found[f"{code} in inches"] = _ended(f"G20 T2 M6\nG0 Z5\nG43\n{code}\nG0 Z1\nG10 L2 P1 Z1\nG0 Z2\nG49")
    found["other units under an offset"] = _ended("G43.1 Z-3\nG20\nG0 Z-6\nG49")
    for way in ("L1", "L10", "L11"):
        found[f"G10 {way}"] = _ended(
            f"T1 M6 G43\nG0 X1 Z3\nG10 L2 P9 Z1\nG10 {way} P1 Z2 X.5\nG43\nG0 Z1\nG10 {way} P2 R3 Z4\nT2 M6\nG43\nG0 Z0"
        )
    found["change"] = _ended(
        "T2\n(DEBUG,#<_selected_tool> #<_current_tool> #5400)\nM6\n"
        "(DEBUG,#<_current_tool> #5400)\nT1\nM61 Q2\nM6\nT0 M6\n(DEBUG,#5400)"
    )
    return found


def _modes() -> dict[str, str]:
    found = {}
    for one in ("G61", "G61.1", "G64", "G64 P.1", "G64 P.1 Q.02", "G64 Q.3"):
        found[one] = _ended(f"{one}\nG0 X1\nG20 {one}\nF1 G81 X1 Z-1 R1\nG80\nM70\nG61\nM72\nG0 X2")
    for one in (
        "G90 G91.1",
        "G91 G90.1",
        "G20 G55 G18",
        "G93",
        "F7 S8",
        "M3 M7",
        "M49",
        "M52 P1",
        "M53 P0",
        "G43.1 Z3",
        "G96 D100 S20",
        "G61",
    ):
        for context in ("M70", "M73"):
            found[f"{context} {one}"] = _ended(
                f"o1 sub\n{context}\n{one}\n{_SHOW}{_MODES}o1 endsub\nF10 S20\no1 call\n{_SHOW}{_MODES}G0 X1\nM70\n{one}\nM72"
            )
    found["M72 of all"] = _ended("F10 S20\nM70\nG91 G90.1 G18 G98 G55 G93 G61\nG43.1 Z1\nF3 S4\nG52 X1\nM72\nG0 X1")
    found["M72 of G92"] = _ended("G92 X1\nM70\nG92.1\nG43.1 Z2\nM72\nG0 X1")
    found["M72 of another tool offset"] = _ended("G43 H1\nM70\nG43.1 Z2\nM72\nG0 Z1")
    found["F in inverse time"] = _ended("F10\nG93\nF7\n(DEBUG,#<_feed>)\nG1 X3 F0\nG94\n(DEBUG,#<_feed>)")
    found["cycle in another plane"] = _ended("F10\nG82 X-3 Z-1 R.5 P1\nG18\nG82 X-1 Z-1 R7\nG28 Z1")
    found["G64 under other units"] = _ended("F10 G64 P.1\nG20\nG81 X3 Z-1 R2")
    found["inverse time"] = _ended("G93\nG1 X7 F100\n(DEBUG,#<_feed>)\nG2 X9 I1 F3\n(DEBUG,#<_feed>)\nG20\nG1 X1 F2")
    found["M71"] = _ended("M70\nG91\nM71")
    return found


def _switches() -> dict[str, str]:
    found = {}
    codes = ("M3 S100", "M4 S1", "M5", "M19", "M19 R30 P1", "M7", "M8", "M7 M8", "M9", "M48", "M49", "M50 P0", "M50",
        "M51 P0", "M51", "M52 P1",
             "M52 P0", "M53 P1", "M53 P0", "M62 P1", "M63 P2", "M64 P3", "M65 P0", "M67 E1 Q2.5", "M68 E0 Q-1", "M0", "M1",
             "M60", "S12.5", "T1",
             "T2 M6 M3", "G97", "G96 S10", "G96 S10 D50", "G40", "G94", "G98", "G99", "G17", "G18", "G19", "G80", "M68 E2",
             "M3 M8 M48 M64 P1")  # fmt: skip
    for code in codes:
        found[code] = _ended(f"{code}\nG0 X1\n{code} X2")
    for end in ("M2", "M30"):
        found[end] = f"G10 L2 P2 X3\nG55 G91 G18 G93 F3 S4 M3 M7 M49 G92 X1\nG43.1 Z2\nG0 X1\n{end}\n"
    found["input"] = _ended("M66 P0 L0\nM66 E1 L0\n(DEBUG,#5399)")
    return found


def _expressions() -> dict[str, str]:
    values = (
        "1+2*3**2", "2**3**2", "[1+2]*3", "7 MOD 3", "-7 MOD 3", "7.5 MOD -2", "1 EQ 1.0000001", "1 EQ 1.00001", "1 NE 2",
        "2 GT 1 AND 1 LT 0",
        "1 OR 0 XOR 1", "1 LE 0.9999999", "1 GE 1.0000001", "1 LT 1.0000001", "SIN[30]", "COS[-60]", "TAN[45]", "ASIN[.5]",
        "ACOS[-1]",
        "ATAN[1]/[-1]", "ATAN[-1]/[0]", "FIX[-1.2]", "FIX[2.8]", "FUP[1.2]", "FUP[-1.2]", "ROUND[-2.5]", "ROUND[2.5]",
        "ROUND[0.4]", "SQRT[16]",
        "ABS[-3]", "LN[EXP[2]]", "-[1+1]", "EXISTS[#<_x>]", "EXISTS[#<q>]", "EXISTS[#5]", "1-2-3", "2*-3", "2--3", "+4",
        "8/4/2", "1+1 EQ 2",
        "[1 LT 2]*5", "#5220", "##1", "#[1+1]", "-#3", "SQRT[#3]", "0 AND 1 OR 1", "3 XOR 4", "10 MOD 0.3", "2**-1",
        "[-2]**3", ".5+5.", "1 0 + 1",
        "SIN[ATAN[1]/[1]]", "#<_x>+#<a b>", "[[[1]]]", "5 EQ 5 EQ 1", "2 ** .5", "EXP[0]", "#<_line>", "#<_call_level>",
        "#<_vmajor>", "#5599",
    )  # fmt: skip
    return {value: f"#1=2 #2=3\n#3=16\n#<a b>=4\nG0 X2\n#100=[{value}]\n(DEBUG,#100)\nG0 X#100\nM2\n" for value in values}


def _o_words() -> dict[str, str]:
    bodies = {
        "while": "o1 while [#1 LT 5]\n#1=[#1+1]\nG0 X#1\no1 endwhile",
        "while never": "o1 while [0]\nG0 X1\no1 endwhile",
        "do": "o1 do\n#1=[#1+1]\nG0 X#1\no1 while [#1 LT 4]",
        "repeat": "o1 repeat [3]\n#1=[#1+1]\nG0 X#1\no1 endrepeat",
        "repeat 2.4": "o1 repeat [2.4]\nG91 G0 X1\no1 endrepeat",
        "repeat -1": "o1 repeat [-1]\nG0 X1\no1 endrepeat",
        "nested": "o1 repeat [3]\no2 repeat [2]\n#1=[#1+1]\nG0 X#1\no2 endrepeat\no1 endrepeat",
        "break": "o1 while [1]\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 break\no2 endif\nG0 X#1\no1 endwhile",
        "break of repeat": "o1 repeat [9]\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 break\no2 endif\nG0 X#1\no1 endrepeat\nG0 Y#1",
        "break of do": "o1 do\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 break\no2 endif\nG0 X#1\no1 while [#1 LT 9]\nG0 Y#1",
        "continue": "o1 while [#1 LT 5]\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 continue\no2 endif\nG0 X#1\no1 endwhile",
        "continue of repeat": "o1 repeat [5]\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 continue\no2 endif\nG0 X#1\no1 endrepeat",
        "continue of do": "o1 do\n#1=[#1+1]\no2 if [#1 EQ 3]\no1 continue\no2 endif\nG0 X#1\no1 while [#1 LT 5]",
        "return": "o1 sub\no2 if [#1 GT 2]\no1 return [#1*2]\no2 endif\no1 endsub [7]\no1 call [3]\n"
                  "G0 X#<_value>\no1 call [1]\nG0 X#<_value>\n(DEBUG,#<_value_returned>)",
        "locals": "o1 sub\n#1=9\n#31=8\n#<a>=7\n#<_b>=6\no1 endsub\n#<a>=1\n#1=2\no1 call [5] [6]\n(DEBUG,#1 #31 #<a> #<_b>)",
        "arguments": "o1 sub\n(DEBUG,#1 #2 #3 #30)\no1 endsub\n#3=5\no1 call\no1 call [1]\no1 call [1] [2]\n"
            "o1 call [#3] [#3+1] [3]",
        "recursion": "o1 sub\nG0 X#1\no2 if [#1 GT 0]\no1 call [#1-1]\no2 endif\nG0 Y#1\no1 endsub\no1 call [3]",
        "names": "o<a b> sub\nG0 X1\no<ab> endsub\no<A_B> sub\nG0 X2\no<a_b> endsub\no<ab> call\no<a_b> call",
        "computed": "o9 sub\nG0 X9\no9 endsub\n#2=3\no[#2*3] call\n#4=9\no#4 call",
        "sub after": "G0 X1\no1 call [4]\nG0 X2\nM2\no1 sub\nG0 X#1\no1 endsub",
        "return early": "o1 sub\nG0 X1\no1 return\nG0 X2\no1 endsub\no1 call",
        "level": "o1 sub\n(DEBUG,%d #<_call_level>)\no2 call\no1 endsub\no2 sub\n(DEBUG,%d #<_call_level>)\no2 endsub\no1 call",
        "label twice": "o1 if [1]\nG0 X1\no1 endif\no1 if [0]\nG0 X2\no1 endif\no1 repeat [2]\nG91 G0 X1\no1 endrepeat",
        "comment": "o1 sub (a subroutine)\nG0 X1 (move)\no1 endsub (end)\no1 call (go)",
    }  # fmt: skip
    for a, b, c in product("01", repeat=3):
        bodies[f"if {a}{b}{c}"] = (
            f"o1 if [{a}]\nG0 X1\no1 elseif [{b}]\nG0 X2\no1 elseif [{c}]\nG0 X3\no1 else\nG0 X4\no1 endif\n"
            f"G0 Y1\no2 if [{c}]\nG0 Y2\no2 else\nG0 Y3\no2 endif"
        )
    return {name: _ended(body) for name, body in bodies.items()}


def _plain_subroutines() -> dict[str, str]:
    bodies = {
        "M98": "M98 P5\nG0 X1\nM2\nO5\nG0 X2\nM99",
        "M98 L": "M98 P5 L3\nM2\nO5\n#1=[#1+1]\nG0 X#1\nM99",
        "M98 L0": "M98 P5 L0\nG0 X1\nM2\nO5\nG0 X2\nM99",
        "nested": "M98 P5\nM2\nO5\nG0 X2\nM98 P6 L2\nM99\nO6\nG91 G0 Y1\nM99",
        "locals": "#1=4\n#<a>=2\nM98 P5\n(DEBUG,#1 #<a>)\nM2\nO5\n#1=7\n#<a>=3\nM99",
        "M73": "M98 P5\nG0 X1\nM2\nO5\nM73\nG91 G20\nG0 X1\nM99",
        "P computed": "#7=5\nM98 P#7 L[1+1]\nM2\nO5\nG91 G0 X2\nM99",
        "leading zeros": "M98 P0005\nM2\nO0005\nG0 X2\nM99",
    }
    return {name: f"{body}\n" for name, body in bodies.items()}


def _errors() -> dict[str, str]:
    lines = (
        "G0 X1 X2", "G0 G1 X1", "G1 X1", "G0 X[1/0]", "G0 X#<feeed>", "G0 XSQTR[2]", "(open", "G0 X", "M3 M4", "o1 call",
        "#<_x>=1", "F9 G2 X1 I9",
        "P1", "X1", "G123", "M123", "G0 X[1", "G0 X1]", "#1", "#1=", "#=1", "#5700=1", "#0=1", "G53 G91 G0 X1",
        "G53 X1 F1 G2 I1", "G10 L2 P10", "G10 P1",
        "G10 L3 P1", "G10 L1 P99 Z1", "G43 H99", "T99", "T99 M6", "G4", "G4 P-1", "F-1", "S-1", "G92", "G52", "G81 X1 Z-1 R1",
        "F1 G81 X1", "F1 G81 X1 Z-1",
        "F1 G81 X1 Z2 R1", "F1 G82 X1 Z-1 R1", "F1 G83 X1 Z-1 R1", "F1 G83 X1 Z-1 R1 Q-1", "F1 G81 X1 Z-1 R1 L0",
        "F1 G81 A1 Z-1 R1", "G80 X1",
        "F1 G2 X1", "F1 G2 X1 R1 I1", "F1 G2 X0 Y0 R1", "F1 G2 X9 R1", "F1 G2 X1 K1", "F1 G2 I1 P0", "F1 G2 I1 P1.5",
        "G28 G0 X1", "G92 X1 G0",
        "M66 P1 L5", "M66 P1 E1", "M66 P1 L3", "M62", "M67 Q1", "M67 E0", "M61", "M61 Q99", "M19 R400", "M19 P9", "G96",
        "G0 X1 D1", "G0 X1 H1", "G0 X1 I1",
        "G0 X1 L1", "G0 X1 Q1", "G0 X1 R1", "G0 X1 E1", "G64 P-1", "G0 X[SQRT[-1]]", "G0 X[LN[0]]", "G0 X[ACOS[2]]",
        "G0 X[[-2]**.5]", "M72", "o1 endsub",
        "o1 return", "o1 if [1]", "o1 endif", "o1 else", "o1 while [1]", "o1 break", "o1 endwhile", "o1 sub", "o1 repeat [2]",
        "M98", "M98 P77", "é",
        "G0 X1 é", "G0 X1e3", "G1.5", "M1.5", "G93 G1 X1", "G0 X1..2", "G0 X--1", "G0 X1 Y", "#<a=1", "G0 @1 X1",
        "G18 G0 @1 ^2", "^1", "N G0 X1", "/G0 X1",
        "M0 M2", "M7 M9", "M62 P1 M63 P1", "G90 G91", "G17 G18", "G20 G21", "G54 G55", "G61 G64", "G98 G99", "G43 G49",
        "T1.5", "T-1", "G0 X1 M3 S",
        "G88 X1 Z-1 R1 P1 F1", "G86 X1 Z-1 R1 P1 F1", "G87 X1 Y1 Z-1 R1 I1 J1 K1 F1 S1 M3", "G10 L2 P1.5 X1", "G10 L20 P1 R1",
        "G7.5", "M6", "H1", "G43.1",
        "G43.2", "F1 G43.1 Z2 G1 X1", "G43 X1", "G49 X1", "G10 L10 P1", "G10 L11 P1 Z1", "G28.1 X1", "G92.1 X1", "G4 P1 X1",
        "M5 P1", "M0 X1",
        "L1", "G0 R1", "I1", "G2 I1 F0",
    )  # fmt: skip
    return {line: f"G0 X.5\n{line}\nG0 X5\nM2\n" for line in lines}
