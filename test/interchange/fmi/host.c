/* A tool that is no Python program: it runs an FMU of FMI 3 for some steps of 10 ms and prints one output.
   Arguments: library, folder of the resources, reference of an input, its value, reference of an output, steps. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi3Functions.h"

#define LOAD(name) fmi3##name##TYPE *name = (fmi3##name##TYPE *)dlsym(library, "fmi3" #name)

static void say(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", status, category, message);
}

int main(int count, char **words)
{
    void *library = count == 7 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", count == 7 ? dlerror() : "six arguments are needed");
        return 2;
    }
    LOAD(InstantiateCoSimulation);
    LOAD(EnterInitializationMode);
    LOAD(ExitInitializationMode);
    LOAD(SetFloat64);
    LOAD(GetFloat64);
    LOAD(DoStep);
    LOAD(Terminate);
    LOAD(FreeInstance);
    fmi3Instance crane = InstantiateCoSimulation("crane", "", words[2], 0, 1, 0, 0, NULL, 0, NULL, say, NULL);
    if (!crane || EnterInitializationMode(crane, 0, 0.0, 0.0, 0, 0.0) || ExitInitializationMode(crane)) return 3;
    fmi3ValueReference input = atoi(words[3]), output = atoi(words[5]);
    double value = atof(words[4]), last = 0.0;
    fmi3Boolean event, end, early;
    if (SetFloat64(crane, &input, 1, &value, 1)) return 4;
    for (int k = 0; k < atoi(words[6]); k++)
        if (DoStep(crane, 0.01 * k, 0.01, 0, &event, &end, &early, &last)) return 5;
    if (GetFloat64(crane, &output, 1, &value, 1)) return 6;
    printf("%.17g\n", value);
    Terminate(crane);
    FreeInstance(crane);
    dlclose(library);
    return 0;
}
