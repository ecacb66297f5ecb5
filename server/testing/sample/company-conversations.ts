import type { SampleConversation } from './sample-conversation.ts'

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
      ['admin', 'On Friday the electricity is off in the whole street, from 8:00 to 14:00. Please work from home.'],
      ['goran', 'Is the small server in the cellar affected?'],
      ['admin', 'Yes. I shut it down at 7:30; builds wait until it is back.', { thumbs_up: ['goran', 'bob'] }],
      ['owner', 'And please empty the fridge on Thursday. @**everyone** really.', { joy: ['carol', 'dana'] }],
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
      ['carol', 'Once seen, never unseen. I shall draw a door.'],
      ['farah', 'Do they work in the dark theme?'],
      ['carol', 'The viewpoint needs a lighter line there: `#c9d6df` instead of `#4a5a66`.'],
      ['alice', 'And for people who do not see colours well?'],
      [
        'carol',
        'All three differ in shape, so yes. Tested with the filters of the browser.',
        { thumbs_up: ['alice', 'farah'] },
      ],
      ['carol', 'Second version, with a door: https://example.com/icons-2'],
      ['hanna', 'No longer a mailbox.', { heart: ['carol'] }],
    ],
  },
  {
    channel: 'design',
    topic: 'dark theme',
    hoursAgo: 31,
    lines: [
      ['farah', 'Which grey do we take for contour lines at night? On my phone they vanish.'],
      ['carol', 'A quarter brighter than now would be my guess.'],
      ['farah', '/poll Contour lines at night\na quarter brighter\nhalf as bright again\nleave them as they are'],
      ['moderator', 'I voted for a quarter. Half reminds me of a spider web.'],
      ['hanna', 'Same here.'],
      ['farah', 'A quarter it is, then. It will be in the build of tonight.', { moon: ['hanna'] }],
    ],
  },
  {
    channel: 'help',
    topic: 'printing a map',
    hoursAgo: 40,
    lines: [
      ['guest', 'Is there a way to print a map? I walk with people who carry no phone.'],
      ['alicebot', 'There is a page about printing: https://example.com/handbook/print'],
      ['guest', 'Thank you, robot. It says A4, I have A3.', { robot: ['alice'] }],
      [
        'hanna',
        'Choose *Export*, then *Picture*, and print the picture on any paper. The scale is then written on the edge.',
      ],
      ['guest', 'That worked. The scale is `1 : 25000`, as I wanted.', { thumbs_up: ['hanna', 'alice'] }],
    ],
  },
  {
    channel: 'help',
    topic: 'where things are',
    hoursAgo: 700,
    lines: [
      [
        'admin',
        'For those who are new:\n\n* the handbook: https://example.com/handbook\n* holidays: ask @**Adam Reyes**\n* keys and bicycles: @**Mona Haddad**',
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
      ['dana', 'If you were signed in, yes: sign in on the new one and wait for the green mark.'],
      ['guest', 'There is no mark, only a circle that turns.'],
      ['dana', 'How many tracks do you have?'],
      ['guest', '2,140. I am old and walk a lot.', { heart: ['dana', 'hanna', 'alice'] }],
      ['dana', 'Then give it an hour, on wireless. I look at the server meanwhile.'],
    ],
  },
  {
    channel: 'kitchen',
    topic: 'lunch',
    hoursAgo: 27,
    lines: [
      ['bob', '/poll Where do we eat today?\nthe Greek\nsoup at the market\nleftovers here'],
      ['emil', 'Soup, if it does not rain.'],
      ['carol', 'It rains.', { cloud: ['emil'] }],
      ['bob', 'The Greek, then. 12:30 at the door. @**Goran Petrovic** you too?'],
      ['goran', 'I come. Order the beans for me if I am late.', { thumbs_up: ['bob'] }],
      ['dana', 'Did someone leave 20 euros on the table?'],
      ['emil', 'That was for the beans of Goran.', { joy: ['goran', 'bob', 'carol'] }],
    ],
  },
  {
    channel: 'kitchen',
    topic: 'coffee machine',
    hoursAgo: 4,
    lines: [
      ['hanna', 'The machine blinks red and says nothing more.'],
      ['moderator', 'It wants to be descaled. The bottle is below the sink, the manual hangs beside it.'],
      [
        'hanna',
        'Done. It took **forty minutes** and sang all the time.',
        { musical_notes: ['moderator', 'farah'], coffee: ['bob'] },
      ],
      ['bob', 'You have saved us all. :coffee:'],
    ],
  },
  {
    channel: 'hiring',
    topic: 'backend position',
    hoursAgo: 100,
    lines: [
      ['owner', 'Six applications so far. Three look good on paper.'],
      ['alice', 'I have read them. The second one has built a routing engine, with tests that are a pleasure to read.'],
      ['moderator', 'She also answered every question of the form in whole sentences.'],
      ['owner', 'Then let us invite her for Wednesday. @**Adam Reyes** can you find a room?'],
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
