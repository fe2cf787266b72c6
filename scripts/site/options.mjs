/** How the site's sections are searched: the same when the index is made and when it is asked. */
export const SEARCH_OPTIONS = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading', 'url'],
  searchOptions: {
    ...{ prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { page: 3, heading: 4 } },
    boostDocument: (_id, _term, { url }) => (url.startsWith('internal/') ? 0.3 : 1),
  },
};
