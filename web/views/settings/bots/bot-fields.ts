/** The fields of the form for bots, by the field names that the server uses in errors. */
export const botFields = {
  full_name: 'name',
  short_name: 'shortName',
  payload_url: 'url',
  service_payload_url: 'url',
} as const

export type BotField = (typeof botFields)[keyof typeof botFields]
