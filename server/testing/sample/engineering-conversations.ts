import type { SampleConversation } from './sample-conversation.ts'

export const engineeringConversations: readonly SampleConversation[] = [
  {
    channel: 'engineering',
    topic: 'release 1.4',
    hoursAgo: 76,
    lines: [
      ['alice', 'I cut the branch for **1.4** this morning. What is still open?'],
      ['bob', 'The fix for offline maps. It is reviewed, I only want to see it on an old phone first.'],
      [
        'dana',
        'Translations: Finnish and Arabic are done, Portuguese lacks eleven strings.',
        { tada: ['hanna', 'alice'] },
      ],
      [
        'alice',
        'So here is the list:\n\n1. offline maps (@**Bob Okafor**)\n2. Portuguese (@**Dana Whitfield**)\n3. the release notes (me)',
      ],
      [
        'goran',
        'May I add the [new elevation data](https://example.com/elevation)? It makes the download 3 MB larger.',
      ],
      ['alice', '> It makes the download 3 MB larger.\n\nNot in this one, please. Let us keep it for 1.5.'],
      ['goran', 'Fair enough.', { thumbs_up: ['alice', 'bob'] }],
      ['bob', 'The old phone is happy: 14 frames per second before, *55* now.', { rocket: ['alice', 'dana', 'emil'] }],
      ['emil', 'How did you measure that?'],
      [
        'bob',
        'With the overlay of the developer settings, scrolling from Oslo to Bergen and back. ```frames: 55.2 ± 1.1```',
      ],
      ['dana', 'Portuguese is complete as well.'],
      [
        'alice',
        '@**all** then we release tomorrow at 10:00. Speak now!',
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
        'Searching for "lake" takes four seconds. There are 31,000 lakes, and it seems that we sort every one of them.',
      ],
      ['bob', 'Which query is that?'],
      [
        'emil',
        "```sql\nSELECT id, name FROM places\nWHERE name LIKE '%lake%'\nORDER BY distance(position, $1)\nLIMIT 20\n```",
      ],
      ['alice', 'A `LIKE` that begins with `%` cannot use the index. Could we search by words instead?'],
      [
        'emil',
        'I tried. With an index of words it is this:\n\n| Search | Before | After |\n|---|--:|--:|\n| lake | 4.1 s | 38 ms |\n| north lake | 3.9 s | 12 ms |\n| hut | 0.6 s | 9 ms |',
        { open_mouth: ['bob', 'dana'], thumbs_up: ['alice'] },
      ],
      ['dana', 'What happens with "lakes"?'],
      ['emil', 'Found too: the index knows stems. "laek" is not found, though.'],
      ['dana', 'People do mistype. But that can come later.'],
      ['alice', 'Agreed. @**Emil Novak** will you open the change?'],
      ['emil', 'It is there: https://example.com/changes/418', { eyes: ['alice', 'bob'] }],
      ['bob', 'Two remarks on it, both small.'],
      ['emil', 'Both done. /me should read his own diffs before others do.'],
    ],
  },
  {
    channel: 'engineering',
    topic: 'flaky test',
    hoursAgo: 28,
    lines: [
      ['goran', 'Has anyone else seen `route_survives_restart` fail? Twice today for me, never the same line.'],
      ['dana', 'Once, last week. I thought that it was my machine.'],
      [
        'goran',
        '```python\ndef test_route_survives_restart(app):\n    app.plan("Tromsø", "Alta")\n    app.restart()\n    assert app.route().length_km == 294\n```\n\nWhat in there depends on time?',
      ],
      ['bob', '`restart()` does not wait for the file to be written.'],
      ['goran', 'It does: it calls `flush`.'],
      ['bob', 'It calls `flush`, but of the *old* file. Since March we write a new one and rename it.'],
      ['goran', 'Oh.', { face_palm: ['goran'], hug: ['dana'] }],
      ['goran', 'Fixed: https://example.com/changes/421. A thousand runs, no failure.', { tada: ['bob', 'dana'] }],
      ['alice', 'Thank you! Such tests cost us more than they look.'],
    ],
  },
  {
    channel: 'engineering',
    topic: 'on call',
    hoursAgo: 6,
    lines: [
      ['admin', 'Who holds the phone over the weekend?'],
      ['dana', 'I can. @**Alice Bergmann** would you take Sunday evening? I am in a train without a network.'],
      ['alice', 'Yes, from 18:00.', { heart: ['dana'] }],
      ['admin', 'Noted. The handbook is #**help>where things are**, as ever.'],
      ['moderator', 'The certificate of the tile server ends in **nine days**, by the way.'],
      ['bob', 'I renew it on Monday.\n\n```spoiler Where is that written?\nIn my calendar, in red.\n```'],
    ],
  },
]
