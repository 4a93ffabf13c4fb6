/** The text of proposed contracts. */
import { oneLine } from '../text/clip.ts';

export interface ProposedGate {
  name: string;
  /** The YAML of the gate. */
  body: string;
  why: string;
}

export function gate(name: string, body: string, why: string): ProposedGate {
  return { name, body, why };
}

export function inColumns(gates: readonly ProposedGate[]): string[] {
  const widest = (texts: string[]) => Math.min(60, Math.max(...texts.map((text) => text.length)));
  const nameWidth = widest(gates.map(({ name }) => name)) + 1;
  const bodyWidth = widest(gates.map(({ body }) => body));
  return gates.map(
    ({ name, body, why }) =>
      `  ${`${name}:`.padEnd(nameWidth)} ${body.padEnd(bodyWidth)}  # ${oneLine(why, 80)}`,
  );
}

/** A text for a flow map: plain where YAML reads it as it is, otherwise quoted as JSON. */
export function yamlText(text: string): string {
  const plain = /^[A-Za-z][\w./@=+-]*( [\w./@=+-]+)*$/.test(text);
  return plain && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}

/** Variables of a gate, as YAML. */
export function envText(env: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(env ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return entries.length === 0 ? '' : `, env: { ${entries.join(', ')} }`;
}
