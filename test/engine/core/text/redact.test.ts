import { describe, expect, test } from 'vitest';
import { redact } from '../../../../src/engine/core/text/redact.ts';

const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z'.repeat(4).slice(0, count);

describe('what looks like a secret is replaced', () => {
  test.each([
    ['Anthropic', `sk-ant-api03-${letters(40)}`],
    ['OpenAI', `sk-proj-${letters(40)}`],
    ['Stripe', `sk_live_${letters(24)}`],
    ['GitHub', `ghp_${letters(36)}`],
    ['GitHub OAuth', `gho_${letters(36)}`],
    ['GitHub fine-grained', `github_pat_${letters(22)}_${letters(59)}`],
    ['GitLab', `glpat-${letters(20)}`],
    ['Slack', `xoxb-${'1'.repeat(12)}-${letters(24)}`],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['Google', `AIza${letters(35)}`],
    ['npm', `npm_${letters(36)}`],
    ['JWT', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
    ['Hugging Face', `hf_${letters(34)}`],
    ['Anthropic without a digit', 'sk-ant-abcdefghijkl'],
    ['Stripe in tests', `rk_test_${letters(24)}`],
    ['GitHub users', `ghu_${letters(36)}`],
    ['GitHub servers', `ghs_${letters(36)}`],
    ['GitHub refreshing', `ghr_${letters(36)}`],
    ['Slack apps', `xapp-1-${letters(24)}`],
    ['AWS for a while', 'ASIAIOSFODNN7EXAMPLE'],
    ['AWS bearers', 'ABIAIOSFODNN7EXAMPLE'],
    ['AWS contexts', 'ACCAIOSFODNN7EXAMPLE'],
    ['Google OAuth', `ya29.${letters(30)}`],
    ['Google clients', `GOCSPX-${letters(28)}`],
    ['PyPI', `pypi-${letters(60)}`],
    ['DigitalOcean', `dop_v1_${'0af'.repeat(20)}`],
    ['Shopify', `shpat_${'0af1'.repeat(8)}`],
    ['SendGrid', `SG.${letters(22)}.${letters(43)}`],
    ['a webhook of Slack', `hooks.slack.com/services/T0/B0/${letters(24)}`],
    ['a webhook of Discord', `discord.com/api/webhooks/123/${letters(24)}`],
  ])('a token of %s', (_name, token) => {
    expect(redact(`using ${token}, which failed`)).toBe('using [redacted], which failed');
    expect(redact(`KEY=${token}`)).not.toContain(token.slice(8));
  });

  test.each([
    ['password=hunter22', 'password=[redacted]'],
    ['DB_PASSWORD=hunter22 npm start', 'DB_PASSWORD=[redacted] npm start'],
    ['password: hunter22', 'password: [redacted]'],
    ['{"password": "correct horse"}', '{"password": "[redacted]"}'],
    ["secret = 'correct horse'", "secret = '[redacted]'"],
    ['api_key: 0123456789abcdef', 'api_key: [redacted]'],
    ['apiKey="abcdefgh"', 'apiKey="[redacted]"'],
    ['?access_token=abcd1234&x=1', '?access_token=[redacted]&x=1'],
    ['AWS_SECRET_ACCESS_KEY=abcd/efgh+1234', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer [redacted]'],
    ['a header of basic YWxhZGRpbjpvcGVuc2VzYW1l0', 'a header of basic [redacted]'],
    ['Password  :  hunter22x', 'Password  :  [redacted]'],
    ['passphrase => "correct horse"', 'passphrase => "[redacted]"'],
    ['https://ada:s3cret@example.com/repo.git', 'https://[redacted]@example.com/repo.git'],
    ['postgres://shop:pw@localhost:5432/db', 'postgres://[redacted]@localhost:5432/db'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('a private key, whole or cut off', () => {
    const body = `${letters(64)}\n`.repeat(5);
    const whole = `a\n-----BEGIN OPENSSH PRIVATE KEY-----\n${body}-----END OPENSSH PRIVATE KEY-----\nb`;
    expect(redact(whole)).toBe('a\n[redacted]\nb');
    expect(redact(`-----BEGIN PRIVATE KEY-----\n${body}then it broke`)).toBe('[redacted]\nthen it broke');
    expect(redact(`"-----BEGIN PRIVATE KEY-----\\n${letters(64)}\\n${letters(64)}"`)).toBe('"[redacted]"');
  });
});

describe('what is only spoken of stays readable', () => {
  test.each([
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'Token'.",
    'SyntaxError: Unexpected token: punc1234',
    "SyntaxError: Unexpected token '}'",
    'function login(password: string, token: Token): void',
    'const token = getToken();',
    'const secret = process.env.SECRET',
    'tokens: 123456',
    'max_tokens=4096',
    'the sk-learn-like-estimator-interface',
    'task-0123456789-abcdefgh',
    'basic authentication is missing',
    'http://localhost:3000/path@2',
    'user@example.com',
    'at Object.<anonymous> (/home/dev/shop/password.test.js:3:57)',
    'expected password to be set',
    'npm_lifecycle_event=test',
    '- [ ] rotate the api key',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

test('redacting twice is redacting once', () => {
  const text = 'password=hunter22 https://a:b@c.example Bearer abcdef0123456789';
  expect(redact(redact(text))).toBe(redact(text));
});
