/** Whether the processor draws, for want of a graphics card: then little is drawn, so that the hand is heard. */

let known: boolean | null = null;

export function drawsInSoftware(): boolean {
  known ??= looks();
  return known;
}

function looks(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const told = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && told ? String(context.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
