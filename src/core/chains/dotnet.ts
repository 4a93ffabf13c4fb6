/** C#, F# and Visual Basic. */

export const sources = /^fs$/;

export const tests = [
  /(?:Tests?|TestCase|IT|Spec|Specs)\.(?:cs|fs|vb)$/,
  /(?:^|\/)Test[A-Z]\w*\.cs$/,
  /\.(?:approved|verified|received)\.\w+$/,
];

export const runnerSettings = [/\.runsettings$/];

export const dependencyFiles = [
  /\.(?:csproj|fsproj|vbproj|sln)$|(?:^|\/)(?:Directory\.[\w.]+\.props|packages\.lock\.json)$/,
];
