const PATHS = { inbox: '/inbox', recent_topics: '/recent', all_messages: '/combined' } as const

/** Returns the path of the user's home view. `view` is the value of the setting `web_home_view` of the API. */
export const homePath = (view: string): (typeof PATHS)[keyof typeof PATHS] =>
  PATHS[view as keyof typeof PATHS] ?? PATHS.inbox
