const PATHS = { inbox: '/inbox', recent_topics: '/recent', all_messages: '/combined' } as const

/** Returns the path of the view that the user sees first; `view` is a value of `web_home_view` of the API. */
export const homePath = (view: string): (typeof PATHS)[keyof typeof PATHS] =>
  PATHS[view as keyof typeof PATHS] ?? PATHS.inbox
