/** Signs that a user is not content, in what they wrote. Only the words that match are kept, never the prompt. */
const SIGNS =
  /\b(?:(?:does ?n[o']?t|do ?n[o']?t|is ?n[o']?t|not|never) (?:even )?work(?:ing|s)?|(?:does|do) not work|still (?:fail(?:s|ing)|broken|wrong|the same|not|does(?:n't| not)|isn't|doesn't)|keeps? (?:failing|breaking)|(?:i am|i'm|we are|we're|you are|you're|it is|it's|get(?:ting)?) stuck|stuck|not sure why|broken again|wrong again|again and again|over and over|(?:i|we) (?:already |just )?told you|i (?:already )?said|you (?:keep|already|forgot|ignored|broke)|why (?:do|did|are|is) (?:you|it|this) (?:still|again|keep)|frustrat(?:ed|ing)|annoying|useless|waste of time|for the (?:third|fourth|fifth|last|\d+(?:rd|th)) time|wtf|what the (?:hell|heck))\b/gi;

const LONGEST = 4_000;
const MOST_SIGNS = 10;

/** The signs in a prompt, in the user's words, in small letters. A pasted log or a code block is not what they say. */
export function frustrationIn(prompt: string): string[] {
  const said = prompt
    .slice(0, LONGEST)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/^[ \t]{0,20}(?:>|\$|at ).*$/gm, ' ')
    .replace(/[\u2018\u2019]/g, "'");
  return [...said.matchAll(SIGNS)]
    .slice(0, MOST_SIGNS)
    .map(([sign]) => sign.toLowerCase().replace(/\s+/g, ' '));
}
