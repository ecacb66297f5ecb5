import { execFileSync } from 'node:child_process'
import type { Sources } from './source-files.ts'
import { isInBrowser, kindOf, reaches, SLOW_KINDS, testFiles } from './test-files.ts'

/** Files that import everything: a test that reaches a change only through them does not test it. */
const COMPOSITION = ['server/app.ts', 'server/api.ts', 'server/site/site.ts', 'test/harness.ts']

/** A change here can affect any test of the server. */
const FOUNDATIONS = [
  'package-lock.json',
  'server/config',
  'server/lib/clock',
  'server/storage/',
  'server/storage/event-log',
  'server/http/',
  ...COMPOSITION,
]

/** The specifications of Parley, which run after any change of the server. */
const PROMISES = ['test/scenarios/', 'test/contract/']

/**
 * Returns the files that differ from a revision: committed since, changed in the work tree, or new. Without a revision,
 * from where the branch left main; on main itself, from the last commit.
 */
export function changedFiles(root: string, revision: string | undefined): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const isMain = git('rev-parse', '--abbrev-ref', 'HEAD')[0] === 'main'
  const base = revision ?? (isMain ? 'HEAD' : git('merge-base', 'main', 'HEAD')[0]!)
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

/**
 * Returns the test files that a change can affect: those that import it, those of the same feature, the specifications
 * for any change of the server, and all but the slow kinds for a change of the foundations.
 */
export function changedTests(sources: Sources, changed: readonly string[]): string[] {
  const chosen = new Set(changed.flatMap((file) => testsOf(sources, file)))
  return testFiles(sources, []).filter((file) => chosen.has(file))
}

function testsOf(sources: Sources, changed: string): string[] {
  const all = testFiles(sources, [])
  if (all.includes(changed)) return [changed]
  if (FOUNDATIONS.some((path) => changed.startsWith(path))) {
    return all.filter((file) => !SLOW_KINDS.includes(kindOf(sources, file)))
  }
  const importing = all.filter((file) => reaches(sources, file, changed, COMPOSITION))
  if (changed.startsWith('web/')) return [...importing, ...all.filter((file) => isInBrowser(sources, file))]
  const feature = /^server\/[^/]+\//.exec(changed)?.[0]
  if (feature === undefined) return importing
  return [...importing, ...all.filter((file) => [feature, ...PROMISES].some((path) => file.startsWith(path)))]
}
