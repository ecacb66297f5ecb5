/** The choices that the URL of an incoming webhook contains. */
export type WebhookChoices = {
  /** The id of the channel; null for direct messages to the owner of the bot. */
  channelId: number | null
  /** The topic of all messages; empty if the service chooses it. Direct messages have none. */
  topic: string
  /** The only events that are posted; empty for all. */
  events: readonly string[]
  /** The options of the service by name; empty values are left out. */
  options: Readonly<Record<string, string>>
}

/** Returns the choices that decide where messages go, as the API takes them. */
export const toTarget = ({ channelId, topic }: WebhookChoices): { stream?: string; topic?: string } => ({
  ...(channelId !== null && { stream: String(channelId) }),
  ...(channelId !== null && topic.trim() !== '' && { topic: topic.trim() }),
})

/** Returns the URL to which the service posts its events. */
export function webhookUrl(realmUrl: string, integration: string, apiKey: string, choices: WebhookChoices): string {
  const { events, options } = choices
  const set = Object.entries(options).filter(([, value]) => value.trim() !== '')
  const params = new URLSearchParams({
    api_key: apiKey,
    ...toTarget(choices),
    ...(events.length > 0 && { only_events: JSON.stringify(events) }),
    ...Object.fromEntries(set.map(([name, value]) => [name, value.trim()])),
  })
  return `${realmUrl}/api/v1/external/${integration}?${params}`
}
