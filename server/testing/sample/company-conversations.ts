import type { SampleConversation } from './sample-people.ts'

export const companyConversations: readonly SampleConversation[] = [
  {
    channel: 'announcements',
    topic: 'version 1.4',
    hoursAgo: 49,
    lines: [
      [
        'owner',
        'Version 1.4 is out: offline maps that scroll smoothly, and three new languages. Thank you, everyone!',
        { tada: ['alice', 'bob', 'carol', 'dana', 'farah', 'hanna'] },
      ],
      ['hanna', 'Suomeksi! :heart:', { heart: ['owner'] }],
      ['farah', 'My parents can finally read it.'],
    ],
  },
  {
    channel: 'announcements',
    topic: 'office closed on Friday',
    hoursAgo: 20,
    lines: [
      ['admin', 'The power will be out on the whole street this Friday from 8:00 to 14:00. Please work from home.'],
      ['goran', 'Does that affect the small server in the basement?'],
      ['admin', 'Yes. I’ll shut it down at 7:30. Builds will wait until it’s back.', { thumbs_up: ['goran', 'bob'] }],
      ['owner', 'And please empty the fridge on Thursday. @**everyone**, I mean it.', { joy: ['carol', 'dana'] }],
    ],
  },
  {
    channel: 'design',
    topic: 'new icons',
    hoursAgo: 60,
    lines: [
      ['carol', 'Here are the icons for huts, springs and viewpoints: https://example.com/icons'],
      ['farah', 'I like the spring. The hut looks like a mailbox to me.'],
      ['hanna', 'A mailbox with a chimney :smile:', { joy: ['carol', 'farah'] }],
      ['carol', 'Now I can’t unsee it. I’ll draw a door.'],
      ['farah', 'Do they work in the dark theme?'],
      ['carol', 'The viewpoint needs a lighter line there: `#c9d6df` instead of `#4a5a66`.'],
      ['alice', 'And for people who are color-blind?'],
      [
        'carol',
        'All three have different shapes, so yes. I tested them with the browser’s filters.',
        { thumbs_up: ['alice', 'farah'] },
      ],
      ['carol', 'Second version, with a door: https://example.com/icons-2'],
      ['hanna', 'Not a mailbox anymore.', { heart: ['carol'] }],
    ],
  },
  {
    channel: 'design',
    topic: 'dark theme',
    hoursAgo: 31,
    lines: [
      ['farah', 'Which gray should we use for contour lines at night? They disappear on my phone.'],
      ['carol', 'I’d try a quarter brighter than now.'],
      ['farah', '/poll Contour lines at night\na quarter brighter\nhalf as bright again\nleave them as they are'],
      ['moderator', 'I voted for a quarter. Half as bright again looks like a spider web.'],
      ['hanna', 'Same here.'],
      ['farah', 'A quarter it is. It’ll be in tonight’s build.', { moon: ['hanna'] }],
    ],
  },
  {
    channel: 'help',
    topic: 'printing a map',
    hoursAgo: 40,
    lines: [
      ['guest', 'Is there a way to print a map? I hike with people who don’t carry a phone.'],
      ['alicebot', 'Here’s the page about printing: https://example.com/handbook/print'],
      ['guest', 'Thank you, robot. It says A4, but I have A3.', { robot: ['alice'] }],
      [
        'hanna',
        'Choose *Export*, then *Picture*, and print the picture on any paper. The scale is shown along the edge.',
      ],
      ['guest', 'That worked. The scale is `1 : 25000`, just what I wanted.', { thumbs_up: ['hanna', 'alice'] }],
    ],
  },
  {
    channel: 'help',
    topic: 'where things are',
    hoursAgo: 700,
    lines: [
      [
        'admin',
        'If you’re new here:\n\n* the handbook: https://example.com/handbook\n* holidays: ask @**Adam Reyes**\n* keys and bikes: @**Mona Haddad**',
      ],
      ['farah', 'And the good tea?'],
      ['moderator', 'Behind the bad tea.', { joy: ['farah', 'carol', 'dana'], tea: ['hanna'] }],
    ],
  },
  {
    channel: 'help',
    topic: 'a new phone',
    hoursAgo: 9,
    lines: [
      ['guest', 'I have a new phone. Will my tracks be on it?'],
      ['dana', 'If you were logged in, yes. Log in on the new one and wait for the green check mark.'],
      ['guest', 'There’s no check mark, just a spinning circle.'],
      ['dana', 'How many tracks do you have?'],
      ['guest', '2,140. I’m old and I walk a lot.', { heart: ['dana', 'hanna', 'alice'] }],
      ['dana', 'Then give it an hour on Wi-Fi. I’ll check the server in the meantime.'],
    ],
  },
  {
    channel: 'kitchen',
    topic: 'lunch',
    hoursAgo: 27,
    lines: [
      ['bob', '/poll Where should we have lunch today?\nthe Greek\nsoup at the market\nleftovers here'],
      ['emil', 'Soup, if it doesn’t rain.'],
      ['carol', 'It’s raining.', { cloud: ['emil'] }],
      ['bob', 'Greek it is, then. 12:30 at the door. @**Goran Petrovic** are you coming?'],
      ['goran', 'I am. Order the beans for me if I’m late.', { thumbs_up: ['bob'] }],
      ['dana', 'Did someone leave 20 euros on the table?'],
      ['emil', 'That was for Goran’s beans.', { joy: ['goran', 'bob', 'carol'] }],
    ],
  },
  {
    channel: 'kitchen',
    topic: 'coffee machine',
    hoursAgo: 4,
    lines: [
      ['hanna', 'The machine is blinking red and won’t do anything.'],
      ['moderator', 'It needs descaling. The bottle is under the sink, and the manual is next to it.'],
      [
        'hanna',
        'Done. It took **forty minutes**, and it hummed the whole time.',
        { musical_notes: ['moderator', 'farah'], coffee: ['bob'] },
      ],
      ['bob', 'You’ve saved us all. :coffee:'],
    ],
  },
  {
    channel: 'hiring',
    topic: 'backend position',
    hoursAgo: 100,
    lines: [
      ['owner', 'Six applications so far. Three look good on paper.'],
      ['alice', 'I’ve read them. The second one built a routing engine, with tests that are a pleasure to read.'],
      ['moderator', 'She also answered every question on the form in full sentences.'],
      ['owner', 'Let’s invite her for Wednesday. @**Adam Reyes** can you find a room?'],
      ['admin', 'The small one, 14:00 to 16:00.', { thumbs_up: ['owner', 'alice'] }],
    ],
  },
  {
    channel: 'pub',
    topic: 'hello',
    hoursAgo: 710,
    lines: [
      ['alice', 'Hello! This is where we talk about everything else.'],
      ['bob', 'Everything? :octopus:', { octopus: ['alice'] }],
    ],
  },
]

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
