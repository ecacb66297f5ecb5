const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Returns a day of the API, such as `2026-11-27`, in the format of the browser. */
export const formatDay = (date: string): string => format.format(new Date(date))
