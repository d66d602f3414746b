import { render } from "preact";
import { attempt, begin, who } from "./cell";
import { Frame } from "./frame";
import { Login } from "./login";
import { dress, theme } from "./menu";
import "./style.css";
import { language, speak } from "./texts";
import { watchPresses } from "./underway";

function Pendant() {
  const me = who.value;
  if (!me) return null;
  return me.role === "" || me.locked ? <Login /> : <Frame />;
}

watchPresses();
dress(theme.value);
speak(language.value);
render(<Pendant />, document.getElementById("page")!);
void attempt(begin);
