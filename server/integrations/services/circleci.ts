import { z } from 'zod'
import { shortSha } from '../families/forge.ts'
import { integration, on, unknownEvent } from '../integration.ts'
import { code, link, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const pipeline = z.object({
  vcs: z
    .object({
      target_repository_url: text,
      revision: text,
      branch: text,
      tag: text,
      commit: z.object({ subject: text }).nullish(),
    })
    .nullish(),
  trigger_parameters: z
    .object({
      gitlab: z
        .object({ web_url: text, branch: text, commit_title: text, checkout_sha: text, commit_sha: text })
        .nullish(),
    })
    .nullish(),
})

const base = z.object({
  project: z.object({ name: z.string() }),
  pipeline,
})

/** Returns the commit and the branch of a pipeline, which GitLab has elsewhere. */
function sourceOf({ vcs, trigger_parameters: parameters }: z.output<typeof pipeline>) {
  const gitlab = parameters?.gitlab
  const sha = vcs?.revision ?? gitlab?.commit_sha ?? gitlab?.checkout_sha
  const home = vcs?.target_repository_url ?? gitlab?.web_url ?? ''
  const path = gitlab ? '-/commit' : home.includes('bitbucket.org') ? 'commits' : 'commit'
  const subject = vcs?.commit?.subject ?? gitlab?.commit_title
  const branch = vcs?.branch ?? gitlab?.branch
  const url = sha ? `${home}/${path}/${sha}` : null
  const commit = !sha ? null : subject ? link(code(`${shortSha(sha)}: ${subject}`), url) : link(shortSha(sha), url)
  return { commit, branch: branch ? code(branch) : null, tag: vcs?.tag }
}

function outcome(given: z.output<typeof pipeline>) {
  const { commit, branch, tag } = sourceOf(given)
  return md`${commit && md` for ${commit}`}${branch && md` on ${branch}`}${tag && md` (tag ${tag})`}`
}

const words: Readonly<Record<string, string>> = {
  success: 'succeeded',
  failed: 'failed',
  error: 'could not run',
  canceled: 'was canceled',
  unauthorized: 'was not authorized',
}

const statusOf = (status: string) => words[status] ?? `ended with ${status}`

const icon = (status: string) => (status === 'success' ? '✅' : status === 'failed' || status === 'error' ? '❌' : '⚠️')

export const circleci = integration({
  name: 'circleci',
  title: 'CircleCI',
  category: 'Continuous integration',
  summary: 'Jobs and workflows',
  logo: { letter: 'C', color: '#343434' },
  steps: [
    'In your project on CircleCI, open **Project Settings**, then **Webhooks**, and click **Add Webhook**.',
    'Paste the URL, and choose **Workflow Completed**, **Job Completed**, or both.',
    'If you want deliveries to be verified, choose a secret token, and enter the same as **Secret** under **More options** of the integration.',
  ],
  sample: {
    payload: {
      type: 'workflow-completed',
      project: { name: 'atlas' },
      workflow: { name: 'tests', status: 'success', url: 'https://app.circleci.com/pipelines/github/example/atlas/42' },
      pipeline: {
        vcs: {
          target_repository_url: 'https://github.com/example/atlas',
          revision: '3f2a91c04d7b',
          branch: 'main',
          commit: { subject: 'Draw maps without gaps' },
        },
      },
    },
  },
  verify: hmacSignature({ header: 'circleci-signature', prefix: 'v1=' }),
  eventOf: (payload) => z.object({ type: z.string() }).safeParse(payload).data?.type ?? unknownEvent('unknown'),
  events: {
    ping: on(z.object({ webhook: z.object({ name: text }).nullish() }), ({ webhook }) => ({
      topic: 'Test event',
      content: md`The webhook ${webhook?.name ?? ''} from CircleCI is set up.`,
    })),
    'job-completed': on(
      base.extend({ job: z.object({ name: z.string(), status: z.string() }) }),
      ({ project, pipeline, job }) => ({
        topic: project.name,
        content: md`${icon(job.status)} The job ${code(job.name)} ${statusOf(job.status)}${outcome(pipeline)}.`,
      }),
    ),
    'workflow-completed': on(
      base.extend({ workflow: z.object({ name: z.string(), status: z.string(), url: text }) }),
      ({ project, pipeline, workflow }) => ({
        topic: project.name,
        content: md`${icon(workflow.status)} The workflow ${link(code(workflow.name), workflow.url)} ${statusOf(workflow.status)}${outcome(pipeline)}.`,
      }),
    ),
  },
})
