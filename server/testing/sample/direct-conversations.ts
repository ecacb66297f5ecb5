import type { SampleConversation } from './sample-conversation.ts'

export const directConversations: readonly SampleConversation[] = [
  {
    people: ['alice', 'bob'],
    hoursAgo: 55,
    lines: [
      ['bob', 'Do you have ten minutes for the offline maps? I’d like a second pair of eyes before the release.'],
      ['alice', 'At three?'],
      ['bob', 'Perfect. Here’s the change: https://example.com/changes/409', { thumbs_up: ['alice'] }],
      ['alice', 'I’ve already had a look. What happens in `load_tile` when the disk is full?'],
      ['bob', '…nothing good. I’ll fix that first. Thank you!'],
    ],
  },
  {
    people: ['alice', 'bob', 'carol'],
    hoursAgo: 30,
    lines: [
      ['carol', 'It’s Emil’s birthday on Thursday. A cake or a book?'],
      ['bob', 'A cake. He never finishes books.'],
      ['alice', 'I’ll bake. Chocolate with pears, like last year?', { heart: ['carol', 'bob'] }],
      ['carol', 'I’ll bring candles. @**Bob Okafor**, could you get a card that we can all sign?'],
    ],
  },
  {
    people: ['alice'],
    hoursAgo: 22,
    lines: [
      [
        'alice',
        'Notes for Monday:\n\n* ~~numbers for 1.4~~\n* tile server certificate\n* ask Goran about elevation data',
      ],
    ],
  },
  {
    people: ['owner', 'admin'],
    hoursAgo: 18,
    lines: [
      ['owner', 'Did the power company say why it takes so long?'],
      ['admin', 'New cables under the sidewalk. They promise it’s the last time this year.'],
      ['owner', 'They promised that last spring.', { joy: ['admin'] }],
    ],
  },
  {
    people: ['carol', 'alice'],
    hoursAgo: 2,
    lines: [
      ['carol', 'The pears are in the blue bowl. Don’t let Bob see them.'],
      ['alice', 'My lips are sealed.', { zip_it: ['carol'] }],
    ],
  },
]
