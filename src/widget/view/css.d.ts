/** Stylesheets are bundled as text, without blanks and comments. */
declare module '*.css' {
  const text: string;
  export default text;
}
