import {
  bullets,
  code,
  count,
  join,
  link,
  type Markdown,
  type MarkdownValue,
  md,
  paragraphs,
  quoteMarkdown,
} from '../markdown.ts'

// The events that all services for version control have: pushes, tags, issues, pull requests and comments. Their topics
// are the same everywhere, because they decide where the discussion of a change is.

export const branchTopic = (repository: string, branch: string) => `${repository} / ${branch}`

export const issueTopic = (repository: string, number: number | string, title: string) =>
  `${repository} / issue #${number} ${title}`

export const pullTopic = (repository: string, number: number | string, title: string, kind = 'PR') =>
  `${repository} / ${kind} #${number} ${title}`

/** The hash of a commit that does not exist: the branch was created or deleted. */
export const isNoCommit = (sha: string | null | undefined) => /^0{7,64}$/.test(sha ?? '')

export const branchOf = (ref: string) => ref.replace(/^refs\/heads\//, '')

export const tagOf = (ref: string) => ref.replace(/^refs\/tags\//, '')

export const isTag = (ref: string) => ref.startsWith('refs/tags/')

export type Commit = {
  sha: string
  message: string
  url?: string | null | undefined
  author?: string | null | undefined
}

/** Returns the name in `Ada Lovelace <ada@example.com>`. */
export const nameIn = (author: string) => author.split('<', 1)[0]?.trimEnd() ?? ''

/** The maximum number of commits that a message lists. */
const MAX_COMMITS = 20

/** The maximum number of authors that a message names. */
const MAX_AUTHORS = 3

const SHORT_SHA = 11

export const shortSha = (sha: string) => sha.slice(0, SHORT_SHA)

const firstLine = (message: string) => message.trim().split('\n', 1)[0] ?? ''

export const commitLink = ({ sha, url }: Pick<Commit, 'sha' | 'url'>): Markdown => link(shortSha(sha), url)

/** Returns a list of commits, newest last, as the service sends them. `total` counts those that it left out, too. */
function commitList(commits: readonly Commit[], total = commits.length): Markdown {
  const shown = commits.slice(0, MAX_COMMITS)
  const left = total - shown.length
  return bullets([
    ...shown.map((commit) => md`${commitLink(commit)} ${firstLine(commit.message)}`),
    left > 0 && md`and ${count(left, 'more commit')}`,
  ])
}

/** Returns who wrote how many of the commits, if others than the user who pushed did. */
function authorsOf(commits: readonly Commit[], user: string): Markdown | false {
  const counts = new Map<string, number>()
  for (const { author } of commits) if (author) counts.set(author, (counts.get(author) ?? 0) + 1)
  if (counts.size === 0 || (counts.size === 1 && counts.has(user))) return false
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  const others = sorted.slice(MAX_AUTHORS).reduce((sum, [, number]) => sum + number, 0)
  const named = sorted.slice(0, MAX_AUTHORS).map(([name, number]) => md`${name} (${number})`)
  return md` Commits by ${join([...named, others > 0 && `others (${others})`], ', ')}.`
}

type Push = {
  user: string
  userUrl?: string | null | undefined
  branch: string
  compareUrl?: string | null | undefined
  commits: readonly Commit[]
  total?: number
  isForced?: boolean
  isDeleted?: boolean
  isNew?: boolean
}

/** Describes a push to a branch. */
export function push({ user, userUrl, branch, compareUrl, commits, total = commits.length, ...how }: Push): Markdown {
  const who = link(user, userUrl)
  if (how.isDeleted) return md`${who} ${link('deleted', compareUrl)} the branch ${branch}.`
  const verb = how.isForced ? 'force-pushed' : 'pushed'
  if (total === 0) {
    if (how.isForced) return md`${who} ${link(verb, compareUrl)} the branch ${branch}. Its new head is an older commit.`
    return md`${who} ${link(verb, compareUrl)} the branch ${branch}.`
  }
  return paragraphs(
    md`${who} ${link(verb, compareUrl)} ${count(total, 'commit')} to ${how.isNew && 'the new branch '}${branch}.${authorsOf(commits, user)}`,
    commitList(commits, total),
  )
}

/** Describes a tag that was pushed or deleted. */
export function tag(user: string, name: string, { url, userUrl, isDeleted = false }: TagDetails = {}): Markdown {
  return md`${link(user, userUrl)} ${isDeleted ? 'deleted' : 'pushed'} the tag ${link(name, url)}.`
}

type TagDetails = { url?: string | null | undefined; userUrl?: string | null | undefined; isDeleted?: boolean }

type Subject = {
  user: MarkdownValue
  /** The past tense, such as `closed`. */
  action: string
  /** `issue`, `PR` or `MR`. */
  kind: string
  number?: number | string | null | undefined
  url: string | null | undefined
  title?: string | null | undefined
  /** The branches of a pull request that was opened or merged. */
  source?: string | null | undefined
  target?: string | null | undefined
  assignees?: readonly MarkdownValue[]
  body?: string | null | undefined
  /** The end of the sentence, such as `(assigned to Ada)`. */
  detail?: MarkdownValue
}

/** Describes a change of an issue or pull request. */
export function subject(given: Subject): Markdown {
  const { user, action, kind, number, url, title, source, target, assignees = [], body, detail } = given
  const name = link(number === undefined || number === null ? kind : `${kind} #${number}`, url)
  const branches = [source && md`from ${code(source)}`, target && md`to ${code(target)}`].filter(Boolean)
  return paragraphs(
    md`${user} ${action} ${name}${title && md` ${title}`}${branches.length > 0 && md` ${join(branches, ' ')}`}${
      assignees.length > 0 && md` (assigned to ${join(assignees, ', ')})`
    }${detail && md` ${detail}`}${body ? ':' : '.'}`,
    quoteMarkdown(body),
  )
}

type Comment = {
  user: MarkdownValue
  /** The past tense, such as `commented`. */
  action: string
  commentUrl: string | null | undefined
  kind: string
  number?: number | string | null | undefined
  url: string | null | undefined
  body?: string | null | undefined
}

/** Describes a comment on an issue, pull request or commit. */
export function comment({ user, action, commentUrl, kind, number, url, body }: Comment): Markdown {
  const on = link(number === undefined || number === null ? kind : `${kind} #${number}`, url)
  const words =
    action === 'commented' ? md`${link('commented', commentUrl)} on` : md`${action} a ${link('comment', commentUrl)} on`
  return paragraphs(md`${user} ${words} ${on}${body ? ':' : '.'}`, quoteMarkdown(body))
}
