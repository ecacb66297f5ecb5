import { z } from 'zod'
import { outcomeOf } from '../families/builds.ts'
import { shortSha, tagOf } from '../families/forge.ts'
import { integration, on, parse, type WebhookMessage } from '../integration.ts'
import { bold, bullets, fact, link, md, paragraphs } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const classic = z.object({
  event: z.string(),
  project_name: z.string(),
  branch_name: z.string(),
  result: z.string(),
  build_number: z.number().nullish(),
  build_url: text,
  build_html_url: text,
  html_url: text,
  number: z.number().nullish(),
  server_name: text,
  commit: z.object({ id: z.string(), url: text, author_name: text, author_email: text, message: text }),
})

const firstLine = (message: string | null | undefined) => message?.split('\n', 1)[0] ?? ''

function fromClassic(given: z.output<typeof classic>): WebhookMessage {
  const { icon, words } = outcomeOf(given.result)
  const { commit } = given
  const build = link(`build ${given.build_number ?? ''}`.trim(), given.build_html_url ?? given.build_url)
  const facts = [
    fact('Commit', md`${link(shortSha(commit.id), commit.url)}: ${firstLine(commit.message)}`),
    fact('Author', commit.author_email ?? commit.author_name),
  ]
  const topic = `${given.project_name}/${given.branch_name}`
  if (given.event === 'build')
    return { event: 'build', topic, content: paragraphs(md`${icon} The ${build} ${words}:`, bullets(facts)) }
  if (given.event !== 'deploy')
    return { event: given.event, topic, content: md`${icon} Semaphore reported ${given.event}: ${given.result}.` }
  const deploy = link(`Deploy ${given.number ?? ''}`.trim(), given.html_url)
  return {
    event: 'deploy',
    topic,
    content: paragraphs(
      md`${icon} ${deploy} of ${build} ${words}:`,
      bullets([...facts, fact('Server', given.server_name)]),
    ),
  }
}

const current = z.object({
  organization: z.object({ name: z.string() }),
  project: z.object({ name: z.string() }),
  repository: z.object({ url: text, slug: text }).nullish(),
  workflow: z.object({ id: z.string() }),
  pipeline: z.object({ name: text, result: z.string() }),
  revision: z.object({
    reference: text,
    reference_type: z.string(),
    commit_sha: z.string(),
    commit_message: text,
    sender: z.object({ login: text }).nullish(),
    branch: z.object({ name: text }).nullish(),
    tag: z.object({ name: text }).nullish(),
    pull_request: z
      .object({ number: z.union([z.string(), z.number()]), name: text, branch_name: text, head_repo_slug: text })
      .nullish(),
  }),
})

function fromCurrent({
  organization,
  project,
  repository,
  workflow,
  pipeline,
  revision,
}: z.output<typeof current>): WebhookMessage {
  const { icon } = outcomeOf(pipeline.result)
  const home = repository?.url ?? `https://github.com/${repository?.slug ?? ''}`
  const url = `https://${organization.name}.semaphoreci.com/workflows/${workflow.id}`
  const login = revision.sender?.login
  const author = fact('Author', login && link(login, `https://github.com/${login}`))
  const commitUrl = `${home}/commit/${revision.commit_sha}`
  const commit = fact(
    'Commit',
    md`${link(shortSha(revision.commit_sha), commitUrl)}: ${firstLine(revision.commit_message)}`,
  )
  const head = md`${icon} ${link(pipeline.name ?? 'The pipeline', url)} ${bold(pipeline.result)}:`
  const { pull_request: pull } = revision
  switch (revision.reference_type) {
    case 'branch': {
      const branch = revision.branch?.name ?? 'unknown'
      return {
        event: 'branch',
        topic: `${project.name}/${branch}`,
        content: paragraphs(head, bullets([commit, fact('Branch', branch), author])),
      }
    }
    case 'tag': {
      const tag = revision.tag?.name ?? tagOf(revision.reference ?? 'unknown')
      const tagLink = link(tag, `${home}/tree/${tag}`)
      return {
        event: 'tag',
        topic: project.name,
        content: paragraphs(head, bullets([commit, fact('Tag', tagLink), author])),
      }
    }
    case 'pull_request': {
      const branch = pull?.branch_name ?? 'unknown'
      const pullLink = link(pull?.name ?? `#${pull?.number}`, `${home}/pull/${pull?.number}`)
      return {
        event: 'pull_request',
        topic: `${project.name}/${branch}`,
        content: paragraphs(head, bullets([fact('Pull request', pullLink), fact('Branch', branch), author])),
      }
    }
    default:
      return {
        event: revision.reference_type,
        topic: project.name,
        content: paragraphs(head, bullets([fact('Kind', revision.reference_type), commit, author])),
      }
  }
}

export const semaphore = integration({
  name: 'semaphore',
  title: 'Semaphore',
  category: 'Continuous integration',
  summary: 'Builds and deployments',
  logo: { letter: 'S', color: '#00a569' },
  steps: [
    'In Semaphore, open **Settings** of your organization, then **Notifications**, and create a notification.',
    'Paste the URL into **Webhook Endpoint**, choose projects and branches, and save it.',
  ],
  sample: {
    payload: {
      version: '1.0.0',
      organization: { name: 'example' },
      project: { name: 'atlas' },
      repository: { url: 'https://github.com/example/atlas', slug: 'example/atlas' },
      workflow: { id: '42' },
      pipeline: { name: 'Tests', result: 'passed' },
      revision: {
        reference: 'refs/heads/main',
        reference_type: 'branch',
        commit_sha: '3f2a91c04d7b',
        commit_message: 'Draw maps without gaps',
        sender: { login: 'ada' },
        branch: { name: 'main', commit_range: '1...2' },
      },
    },
  },
  verify: hmacSignature({ header: 'X-Semaphore-Signature-256', prefix: 'sha256=' }),
  handle: on(z.record(z.string(), z.unknown()), (payload) =>
    'event' in payload ? fromClassic(parse(classic, payload)) : fromCurrent(parse(current, payload)),
  ),
})
