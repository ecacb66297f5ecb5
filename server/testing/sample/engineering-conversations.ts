import type { SampleConversation, SampleMessage } from './sample-people.ts'

export const engineeringConversations: readonly SampleConversation[] = [
  {
    channel: 'engineering',
    topic: 'release 1.4',
    hoursAgo: 76,
    lines: [
      ['alice', 'I cut the branch for **1.4** this morning. What’s still open?'],
      ['bob', 'The offline maps fix. It’s been reviewed, but I want to try it on an old phone first.'],
      [
        'dana',
        'Translations: Finnish and Arabic are done, and Portuguese is missing eleven strings.',
        { tada: ['hanna', 'alice'] },
      ],
      [
        'alice',
        'So here’s the list:\n\n1. offline maps (@**Bob Okafor**)\n2. Portuguese (@**Dana Whitfield**)\n3. the release notes (me)',
      ],
      [
        'goran',
        'Can I add the [new elevation data](https://example.com/elevation)? It makes the download 3 MB larger.',
      ],
      ['alice', '> It makes the download 3 MB larger.\n\nNot in this one, please. Let’s save it for 1.5.'],
      ['goran', 'Fair enough.', { thumbs_up: ['alice', 'bob'] }],
      ['bob', 'The old phone is happy: 14 frames per second before, *55* now.', { rocket: ['alice', 'dana', 'emil'] }],
      ['emil', 'How did you measure that?'],
      [
        'bob',
        'With the overlay from the developer settings, scrolling from Oslo to Bergen and back. ```frames: 55.2 ± 1.1```',
      ],
      ['dana', 'Portuguese is complete, too.'],
      [
        'alice',
        '@**all** then we’re releasing tomorrow at 10:00. Speak now or hold your peace!',
        { thumbs_up: ['bob', 'dana', 'emil', 'goran'] },
      ],
      [
        'alice',
        'Released. :tada: Thank you all.',
        { tada: ['bob', 'dana', 'emil', 'goran', 'moderator'], heart: ['admin'] },
      ],
    ],
  },
  {
    channel: 'engineering',
    topic: 'slow search',
    hoursAgo: 52,
    lines: [
      [
        'emil',
        'Searching for "lake" takes four seconds. There are 31,000 lakes, and we seem to sort every one of them.',
      ],
      ['bob', 'Which query is that?'],
      [
        'emil',
        "```sql\nSELECT id, name FROM places\nWHERE name LIKE '%lake%'\nORDER BY distance(position, $1)\nLIMIT 20\n```",
      ],
      ['alice', 'A `LIKE` that starts with `%` can’t use the index. Could we search by words instead?'],
      [
        'emil',
        'I tried that. With a word index:\n\n| Search | Before | After |\n|---|--:|--:|\n| lake | 4.1 s | 38 ms |\n| north lake | 3.9 s | 12 ms |\n| hut | 0.6 s | 9 ms |',
        { open_mouth: ['bob', 'dana'], thumbs_up: ['alice'] },
      ],
      ['dana', 'What about "lakes"?'],
      ['emil', 'Works, too: the index uses stems. It doesn’t find "laek", though.'],
      ['dana', 'People do make typos. But that can wait.'],
      ['alice', 'Agreed. @**Emil Novak** will you open a pull request?'],
      ['emil', 'Here it is: https://example.com/changes/418', { eyes: ['alice', 'bob'] }],
      ['bob', 'I left two comments, both small.'],
      ['emil', 'Both done. /me should read his own diffs before others do.'],
    ],
  },
  {
    channel: 'engineering',
    topic: 'flaky test',
    hoursAgo: 28,
    lines: [
      ['goran', 'Has anyone else seen `route_survives_restart` fail? Twice today for me, never on the same line.'],
      ['dana', 'Once, last week. I thought it was my machine.'],
      [
        'goran',
        '```python\ndef test_route_survives_restart(app):\n    app.plan("Tromsø", "Alta")\n    app.restart()\n    assert app.route().length_km == 294\n```\n\nWhat in there depends on timing?',
      ],
      ['bob', '`restart()` doesn’t wait for the file to be written.'],
      ['goran', 'It does: it calls `flush`.'],
      ['bob', 'It calls `flush`, but on the *old* file. Since March we’ve been writing a new one and renaming it.'],
      ['goran', 'Oh.', { face_palm: ['goran'], hug: ['dana'] }],
      [
        'goran',
        'Fixed: https://example.com/changes/421. A thousand runs without a failure.',
        { tada: ['bob', 'dana'] },
      ],
      ['alice', 'Thank you! Tests like that cost us more than you’d think.'],
    ],
  },
  {
    channel: 'engineering',
    topic: 'on call',
    hoursAgo: 6,
    lines: [
      ['admin', 'Who’s on call this weekend?'],
      ['dana', 'I can. @**Alice Bergmann** could you take Sunday evening? I’ll be on a train with no reception.'],
      ['alice', 'Sure, from 18:00.', { heart: ['dana'] }],
      ['admin', 'Noted. The handbook is linked in #**help>where things are**, as always.'],
      ['moderator', 'By the way, the tile server’s certificate expires in **nine days**.'],
      ['bob', 'I’ll renew it on Monday.\n\n```spoiler Where’s that written down?\nIn my calendar, in red.\n```'],
    ],
  },
]

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
