/** The form's names of the fields of a bot that the server names in its errors. */
export const botFields = {
  full_name: 'name',
  short_name: 'shortName',
  payload_url: 'url',
  service_payload_url: 'url',
} as const

export type BotField = (typeof botFields)[keyof typeof botFields]
