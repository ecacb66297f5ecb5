/** Tests that failed once and passed when they were run again: how a file is told to, and how it tells of it. */
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

const VARIABLE = 'PARLEY_TEST_TWICE'
const PREFIX = 'passed when it was run again: '

/** What a test file is to find in its environment so that it tries twice what may be. */
export const twice: NodeJS.ProcessEnv = { [VARIABLE]: '1' }

export const triesTwice = (env: NodeJS.ProcessEnv): boolean => env[VARIABLE] !== undefined

export const toldSecondTry = (title: string, failure: unknown): string =>
  `${PREFIX}${title}\nIt had failed: ${inspect(failure)}`

export const isSecondTry = ({ type, data }: TestEvent): boolean =>
  type === 'test:diagnostic' && data.message.startsWith(PREFIX)
