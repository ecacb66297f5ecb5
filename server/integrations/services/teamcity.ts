import { z } from 'zod'
import { integration, on, type WebhookMessages } from '../integration.ts'
import { link, md } from '../markdown.ts'

const text = z.string().nullish()

const RESULTS = new Map<string, string>(
  Object.entries({
    'failure/broken': '❌ is broken',
    failure: '❌ is still broken',
    'success/fixed': '✅ is fixed',
    success: '✅ succeeded',
    running: '⏳ is running',
  }),
)

/** Returns whether only the developer who started the build cares about it. */
const isPersonal = (properties: readonly { name?: string | null | undefined; value?: string | null | undefined }[]) =>
  properties.some(({ name, value }) => name === 'env.BUILD_IS_PERSONAL' && value === 'true')

export const teamcity = integration({
  name: 'teamcity',
  title: 'TeamCity',
  category: 'Continuous integration',
  summary: 'Builds',
  logo: { letter: 'T', color: '#0cb0f2' },
  steps: [
    'Install the plugin **tcWebHooks** in TeamCity.',
    'In your project, open **Webhooks**, and add one with the URL and the format **Legacy Webhook (JSON)**.',
  ],
  sample: {
    payload: {
      build: {
        buildFullName: 'Atlas :: Tests',
        buildNumber: '42',
        buildResult: 'success',
        buildResultDelta: 'unchanged',
        buildStatus: 'Tests passed: 120',
        buildStatusUrl: 'https://teamcity.example.com/viewLog.html?buildId=42',
        triggeredBy: 'Ada',
      },
    },
  },
  handle: on(
    z.object({
      build: z
        .object({
          buildFullName: z.string(),
          buildNumber: text,
          buildResult: z.string(),
          buildResultDelta: text,
          buildStatus: text,
          buildStatusUrl: text,
          branchDisplayName: text,
          triggeredBy: text,
          teamcityProperties: z.array(z.object({ name: text, value: text })).nullish(),
        })
        .nullish(),
    }),
    ({ build }): WebhookMessages => {
      // Other formats of the plugin have no build.
      if (!build || isPersonal(build.teamcityProperties ?? [])) return null
      const delta = `${build.buildResult}/${build.buildResultDelta ?? ''}`
      const [icon, ...words] = (
        RESULTS.get(delta) ??
        RESULTS.get(build.buildResult) ??
        `⚠️ ended with ${build.buildResult}`
      ).split(' ')
      const branch = build.branchDisplayName
      const url = build.buildStatusUrl
      const changes = url ? `${url}&tab=buildChangesDiv` : null
      return {
        event: build.buildResult,
        topic: branch && branch !== '<default>' ? `${build.buildFullName} (${branch})` : build.buildFullName,
        content: md`${icon} ${build.buildFullName} build ${build.buildNumber ?? ''} ${words.join(' ')}: ${build.buildStatus ?? 'no status'}. See the ${link('changes', changes)} and the ${link('log', url)}.`,
      }
    },
  ),
})
