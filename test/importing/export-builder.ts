import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../storage.ts'

type Row = Record<string, unknown>

/** An export that a test can change before it is written; tables and columns have the names of the format. */
export type TestExport = {
  realm: Record<string, Row[]> & { zerver_realm: Row[] }
  messageFiles: Record<string, Row[]>[]
  attachments: Row[]
  /** Other files of the export by their paths. */
  files: Record<string, Buffer | string>
}

/** The time of the first data in the export: 2020-09-13. */
export const LONG_AGO = 1_600_000_000

/** Writes the export and returns its folder. */
export async function writeExport({ realm, messageFiles, attachments, files }: TestExport): Promise<string> {
  const folder = await temporaryFolder()
  const write = async (name: string, content: Buffer | string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  await write('realm.json', JSON.stringify(realm))
  await write('attachment.json', JSON.stringify({ zerver_attachment: attachments }))
  for (const [index, tables] of messageFiles.entries())
    await write(`messages-${String(index + 1).padStart(6, '0')}.json`, JSON.stringify(tables))
  for (const [name, content] of Object.entries(files)) await write(name, content)
  return folder
}

const person = (id: number, name: string, role: number, more: Row = {}): Row => ({
  id,
  email: `user${id}@harbour.example`,
  delivery_email: `${name.split(' ')[0]?.toLowerCase()}@harbour.example`,
  full_name: name,
  role,
  is_active: true,
  is_bot: false,
  is_mirror_dummy: false,
  date_joined: LONG_AGO + id,
  timezone: '',
  avatar_source: 'G',
  long_term_idle: false,
  ...more,
})

const systemGroups = [
  'internet',
  'owners',
  'administrators',
  'moderators',
  'fullmembers',
  'members',
  'everyone',
  'nobody',
]

/** The ids in the export of everything that tests refer to; all of them are different after the import. */
export const exportIds = {
  mara: 11,
  tom: 12,
  ida: 13,
  gil: 14,
  pete: 15,
  bot: 16,
  docks: 31,
  crew: 32,
  pier: 33,
} as const

const systemId = (name: string) => 201 + systemGroups.indexOf(name)

/** Returns a message and its recipients with their flags. */
export function message(
  id: number,
  sender: number,
  recipient: number,
  subject: string,
  content: string,
  more: Row = {},
) {
  return {
    id,
    sender,
    recipient,
    subject,
    content,
    rendered_content: '<p>of another server</p>',
    date_sent: LONG_AGO + id + 0.25,
    sending_client: 1,
    edit_history: null,
    last_edit_time: null,
    ...more,
  }
}

const received = (message: number, flags: Record<number, number>) =>
  Object.entries(flags).map(([user, flags_mask]) => ({ user_profile: Number(user), message, flags_mask }))

/** Flags as numbers; the highest two are not used by Parley. */
const [READ, STARRED, MENTIONED, PRIVATE] = [1, 2, 8, 2048]

const { mara, tom, ida, gil, pete, bot, docks, crew, pier } = exportIds

/** Returns the id of the recipient for a user or a channel. */
const at = (id: number) => 400 + id

const subscription = (user_profile: number, recipient: number, more: Row = {}) => ({
  user_profile,
  recipient,
  active: true,
  is_user_active: true,
  color: '#c2c2c2',
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  ...more,
})

const organizationTables = {
  zerver_realm: [
    {
      id: 9,
      string_id: 'harbour',
      name: 'Harbour',
      description: 'Ships and tides',
      date_created: LONG_AGO,
      deactivated: false,
      icon_source: 'U',
      waiting_period_threshold: 3,
      message_content_edit_limit_seconds: null,
      move_messages_between_streams_limit_seconds: null,
      message_edit_history_visibility_policy: 1,
      can_create_groups: 230,
      can_create_public_channel_group: systemId('moderators'),
      new_stream_announcements_stream: docks,
    },
  ],
  zerver_client: [{ id: 1, name: 'website' }],
  zerver_realmemoji: [{ id: 61, name: 'gull', author: mara, file_name: '61.png', deactivated: false }],
  zerver_realmfilter: [{ id: 1, pattern: 'T(?P<id>[0-9]+)', url_template: 'https://tickets.example/{id}', order: 1 }],
  zerver_realmdomain: [{ id: 1, domain: 'harbour.example', allow_subdomains: true }],
  zerver_customprofilefield: [
    { id: 71, name: 'Boat', hint: '', order: 1, field_type: 1, field_data: '' },
    { id: 72, name: 'Mentor', hint: '', order: 2, field_type: 6, field_data: '' },
  ],
}

const userTables = {
  zerver_userprofile: [
    person(mara, 'Mara Quay', 100, { avatar_source: 'U' }),
    person(tom, 'Tom Berg', 400, { timezone: 'Europe/Oslo', twenty_four_hour_time: true }),
    person(ida, 'Ida Lund', 400),
    person(gil, 'Gil Vane', 600),
    person(pete, 'Pete Gone', 400, { is_active: false }),
    person(bot, 'Tide Bot', 400, { is_bot: true, bot_type: 1, bot_owner: tom }),
  ],
  zerver_userprofile_crossrealm: [{ id: 3, email: 'notification-bot@zulip.com', recipient_id: 403 }],
  zerver_customprofilefieldvalue: [
    { user_profile: tom, field: 71, value: 'Osprey' },
    { user_profile: tom, field: 72, value: `[${mara}]` },
  ],
  zerver_alertword: [{ user_profile: tom, word: 'storm' }],
  zerver_userstatus: [
    {
      user_profile: tom,
      status_text: 'at sea',
      emoji_name: 'gull',
      emoji_code: '61',
      reaction_type: 'realm_emoji',
    },
  ],
  zerver_muteduser: [{ user_profile: tom, muted_user: pete, date_muted: LONG_AGO }],
  zerver_usertopic: [
    { user_profile: tom, stream: docks, topic_name: 'tide', visibility_policy: 3, last_updated: LONG_AGO },
  ],
}

const channelTables = {
  zerver_stream: [
    { id: docks, name: 'docks', description: 'Where we **land**', date_created: LONG_AGO, creator: mara },
    {
      id: crew,
      name: 'crew',
      description: '',
      invite_only: true,
      history_public_to_subscribers: false,
      can_send_message_group: 220,
    },
    { id: pier, name: '!DEACTIVATED:pier', description: '', deactivated: true },
  ],
  zerver_recipient: [
    ...[docks, crew, pier].map((id) => ({ id: at(id), type: 2, type_id: id })),
    ...[mara, tom, ida, gil, pete, bot].map((id) => ({ id: at(id), type: 1, type_id: id })),
    { id: 451, type: 3, type_id: 51 },
  ],
  zerver_huddle: [{ id: 51, huddle_hash: 'x' }],
  zerver_subscription: [
    subscription(mara, at(docks)),
    subscription(tom, at(docks), { color: '#ff0000', pin_to_top: true, email_notifications: true }),
    subscription(ida, at(docks), { active: false }),
    subscription(gil, at(docks), { is_muted: true }),
    subscription(mara, at(crew)),
    subscription(tom, at(crew)),
    ...[mara, tom, ida].map((user) => subscription(user, 451)),
  ],
  zerver_defaultstream: [{ id: 1, realm: 9, stream: docks }],
}

const groupTables = {
  zerver_usergroup: [...systemGroups.map((_, index) => ({ id: 201 + index })), { id: 220 }, { id: 221 }, { id: 230 }],
  zerver_namedusergroup: [
    ...systemGroups.map((name) => ({
      usergroup_ptr: systemId(name),
      name: `role:${name}`,
      description: '',
      is_system_group: true,
    })),
    { usergroup_ptr: 220, name: 'pilots', description: 'They know the way', creator: mara },
    { usergroup_ptr: 221, name: 'everybody afloat', description: '', creator: mara },
  ],
  zerver_usergroupmembership: [
    { user_group: 220, user_profile: tom },
    { user_group: 230, user_profile: tom },
  ],
  zerver_groupgroupmembership: [{ supergroup: 221, subgroup: 220 }],
}

const messageTables = {
  zerver_reaction: [
    { user_profile: tom, message: 7001, emoji_name: 'gull', emoji_code: '61', reaction_type: 'realm_emoji' },
    { user_profile: ida, message: 7001, emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
  ],
  zerver_submessage: [
    {
      message: 7009,
      sender: bot,
      msg_type: 'widget',
      content: '{"widget_type":"poll","extra_data":{"question":"Fish?","options":["yes"]}}',
    },
    { message: 7009, sender: tom, msg_type: 'widget', content: '{"type":"vote","key":"canned,0","vote":1}' },
  ],
  zerver_scheduledmessage: [{ id: 1 }, { id: 2 }],
}

/** Two files of messages: in channels, and then direct messages and others. */
const channelMessages = {
  zerver_message: [
    message(
      7001,
      mara,
      at(docks),
      'tide',
      `Hello @**Tom Berg|${tom}**: [chart](/user_uploads/9/ab/XyZ/chart.txt), T42, #**docks>tide@7002** ` +
        `and [there](/#narrow/channel/${docks}-docks/topic/tide/near/7002)`,
    ),
    message(7002, tom, at(docks), 'tide', 'High at **noon**', {
      last_edit_time: LONG_AGO + 7100,
      edit_history: JSON.stringify([
        { user_id: mara, timestamp: LONG_AGO + 7200, prev_topic: 'water', topic: 'tide' },
        {
          user_id: tom,
          timestamp: LONG_AGO + 7100,
          prev_content: 'High at *ten*',
          prev_rendered_content: '<p>x</p>',
        },
      ]),
    }),
    message(7003, mara, at(crew), 'plans', 'Before Tom: /user_uploads/9/cd/Abc/secret.txt'),
    message(7004, mara, at(crew), 'plans', 'With Tom'),
  ],
  zerver_usermessage: [
    ...received(7001, { [mara]: READ, [tom]: MENTIONED | STARRED | READ, [gil]: 0, [ida]: READ }),
    ...received(7002, { [mara]: 0, [tom]: READ, [gil]: 0 }),
    ...received(7003, { [mara]: READ }),
    ...received(7004, { [mara]: READ, [tom]: 0 }),
  ],
}

const laterMessages = {
  zerver_message: [
    message(7005, mara, at(tom), '', 'Between us'),
    message(7006, ida, 451, '', 'For the three of us'),
    message(7007, pete, at(docks), 'farewell', 'Gone fishing'),
    message(7008, 3, at(tom), '', 'You were subscribed.'),
    message(7009, bot, at(docks), 'lunch', '/poll Fish?\nyes'),
  ],
  zerver_usermessage: [
    ...received(7005, { [mara]: READ | PRIVATE, [tom]: PRIVATE }),
    ...received(7006, { [mara]: PRIVATE, [tom]: READ | PRIVATE, [ida]: READ | PRIVATE }),
    ...received(7007, { [mara]: READ, [tom]: READ }),
    ...received(7008, { 3: READ, [tom]: READ | PRIVATE }),
    ...received(7009, { [mara]: READ, [tom]: READ }),
  ],
}

const attachments = [
  {
    id: 81,
    file_name: 'chart.txt',
    path_id: '9/ab/XyZ/chart.txt',
    owner: mara,
    create_time: LONG_AGO,
    size: 11,
    messages: [7001],
  },
  {
    id: 82,
    file_name: 'secret.txt',
    path_id: '9/cd/Abc/secret.txt',
    owner: mara,
    create_time: LONG_AGO,
    size: 6,
    messages: [7003],
  },
]

const filesWith = (picture: Buffer): TestExport['files'] => ({
  'uploads/9/ab/XyZ/chart.txt': 'deep waters',
  'uploads/9/cd/Abc/secret.txt': 'hidden',
  'uploads/records.json': '[]',
  'avatars/records.json': JSON.stringify([
    { user_profile_id: mara, path: '9/aaa.png', s3_path: '9/aaa.png' },
    { user_profile_id: mara, path: '9/aaa.original', s3_path: '9/aaa.original' },
  ]),
  'avatars/9/aaa.png': picture,
  'avatars/9/aaa.original': picture,
  'emoji/records.json': JSON.stringify([
    { name: 'gull', path: '9/emoji/images/61.png', s3_path: '9/emoji/images/61.png', file_name: '61.png' },
  ]),
  'emoji/9/emoji/images/61.png': picture,
  'realm_icons/records.json': JSON.stringify([{ path: '9/realm/icon.png' }]),
  'realm_icons/9/realm/icon.png': picture,
})

/**
 * Returns the harbour organization: four people, a former one, a bot, a private channel with protected history, and
 * files.
 */
export function harbour(picture: Buffer): TestExport {
  const tables = { ...organizationTables, ...userTables, ...channelTables, ...groupTables, ...messageTables }
  const rows = structuredClone({ realm: tables, messageFiles: [channelMessages, laterMessages], attachments })
  return { ...rows, files: filesWith(picture) }
}
