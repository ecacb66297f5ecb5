import type { SampleConversation } from './sample-conversation.ts'

export const directConversations: readonly SampleConversation[] = [
  {
    people: ['alice', 'bob'],
    hoursAgo: 55,
    lines: [
      ['bob', 'Do you have ten minutes for the offline maps? I would like a second pair of eyes before the release.'],
      ['alice', 'At three?'],
      ['bob', 'Perfect. The change is https://example.com/changes/409', { thumbs_up: ['alice'] }],
      ['alice', 'I have looked already. What happens in `load_tile` when the disk is full?'],
      ['bob', '…nothing good. I will fix that first. Thank you!'],
    ],
  },
  {
    people: ['alice', 'bob', 'carol'],
    hoursAgo: 30,
    lines: [
      ['carol', 'It is the birthday of Emil on Thursday. A cake, or a book?'],
      ['bob', 'A cake. He never finishes books.'],
      ['alice', 'I bake. Chocolate with pears, as last year?', { heart: ['carol', 'bob'] }],
      ['carol', 'I bring candles, @**Bob Okafor** brings a card that all can sign.'],
    ],
  },
  {
    people: ['alice'],
    hoursAgo: 22,
    lines: [
      [
        'alice',
        'Notes for Monday:\n\n* ~~numbers of 1.4~~\n* certificate of the tile server\n* ask Goran about elevation data',
      ],
    ],
  },
  {
    people: ['owner', 'admin'],
    hoursAgo: 18,
    lines: [
      ['owner', 'Did the electricity company say why so long?'],
      ['admin', 'New cables below the pavement. They promise that it is the last time this year.'],
      ['owner', 'They promised that in spring.', { joy: ['admin'] }],
    ],
  },
  {
    people: ['carol', 'alice'],
    hoursAgo: 2,
    lines: [
      ['carol', 'The pears are in the blue bowl. Do not let Bob see them.'],
      ['alice', 'My lips are sealed.', { zip_it: ['carol'] }],
    ],
  },
]
