import assert from 'node:assert';
import test from 'node:test';
import { add } from './add.mjs';

test('adds', () => assert.equal(add(2, 2), 4));
