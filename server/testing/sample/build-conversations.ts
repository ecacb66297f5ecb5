import type { SampleConversation, SampleMessage } from './sample-conversation.ts'

const branches = ['offline-maps', 'word-index', 'icons', 'portuguese', 'night-contours'] as const
const failures = [
  'assert app.route().length_km == 294\nE   assert 0 == 294',
  'error: unused import `Tile`',
  'TimeoutError: the emulator did not start within 120 s',
] as const

/** Returns the messages of the build server; every seventh build fails. */
function buildsOf(branch: string, first: number, count: number): SampleMessage[] {
  return Array.from({ length: count }, (_, at): SampleMessage => {
    const number = first + at
    const link = `[build ${number}](https://example.com/builds/${number})`
    if (number % 7 !== 0)
      return ['webhookbot', `:check: ${link} of \`${branch}\` passed in ${180 + ((number * 37) % 90)} s`]
    const failure = failures[number % failures.length]
    return [
      'webhookbot',
      `:cross_mark: ${link} of \`${branch}\` failed\n\n\`\`\`text\n${failure}\n\`\`\``,
      { eyes: ['goran'] },
    ]
  })
}

export const buildConversations: readonly SampleConversation[] = [
  { channel: 'builds', topic: 'main', hoursAgo: 72, lines: buildsOf('main', 2301, 60) },
  ...branches.map((branch, at) => ({
    channel: 'builds',
    topic: branch,
    hoursAgo: 60 - at * 9,
    lines: buildsOf(branch, 2361 + at * 14, 14),
  })),
]
